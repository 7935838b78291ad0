package sandboxtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// forgedArchives are archives that two readers take for two different things. Where one reader checks what another one
// extracts, what leads out gets past the check (https://github.com/UKGovernmentBEIS/inspect_ai/issues/5390). They are
// refused, or nothing of them leads out.
func (c Conformance) forgedArchives(t *testing.T) {
	const inside, outside = "first", "/etc/passwd"
	link := func(longs ...string) []byte {
		out := tarMembers(t, tarFile(inside, "x"))
		for _, target := range longs {
			out = append(out, longLink(t, target)...)
		}
		return append(out, tarOf(t, tarLink("link", inside))...)
	}
	end := tarOf(t)
	harmless, harmful := tarOf(t, tarFile(inside, "x")), tarOf(t, tarLink("link", outside), tarFile("../up", "x"))
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"long link, then another inside", link(outside, inside)},
		{"long link, then another outside", link(inside, outside)},
		{"long link outside", link(outside)},
		{"archive behind the end", slices.Concat(harmless, harmful)},
		{"archive behind the end, packed as one", packed(t, slices.Concat(harmless, harmful))},
		{"archive in a second packed part", slices.Concat(packed(t, harmless), packed(t, harmful))},
		{"packed parts that are one archive", slices.Concat(packed(t, tarMembers(t, tarFile(inside, "x"))), packed(t, harmful))},
		{"text behind what is packed", slices.Concat(packed(t, harmless), harmful)},
		{"path of an extended header", slices.Concat(extended(t, "path", "../up"), tarOf(t, tarFile("plain", "x")))},
		{"link of an extended header", slices.Concat(extended(t, "linkpath", outside), tarOf(t, tarLink("link", inside)))},
		{"size of an extended header", slices.Concat(extended(t, "size", "0"), tarOf(t, tarFile("plain", string(tarMembers(t, tarLink("link", outside))))))},
		{"global extended header", slices.Concat(retyped(extended(t, "path", "../up"), tar.TypeXGlobalHeader), tarOf(t, tarFile("plain", "x")))},
		{"more than there is", append(huge(t), end...)},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := c.started(t, sandbox.Manifest{})
			err := s.Hydrate(t.Context(), bytes.NewReader(f.data))
			if err != nil {
				wantCode(t, "hydrate", err, backend.ArchiveWrite)
			}
			for _, name := range names(t, archived(t, s)) {
				if err != nil && name != "./" {
					t.Errorf("%s was written of an archive that was refused", name)
				}
				if strings.HasPrefix(name, "../") {
					t.Errorf("%s is outside", name)
				}
				if member, target, ok := strings.Cut(name, " -> "); ok && (path.IsAbs(target) || strings.HasPrefix(path.Join(path.Dir(member), target), "..")) {
					t.Errorf("the link %s leads out", name)
				}
			}
			for _, name := range []string{"link", "../up"} {
				if data, err := s.Read(t.Context(), name); err == nil && string(data) != "x" {
					t.Errorf("%d bytes were read of %s", len(data), name)
				}
			}
		})
	}
}

// tarMembers is an archive without its end, so that more can follow.
func tarMembers(t *testing.T, members ...tarMember) []byte {
	t.Helper()
	const end = 1024
	data := tarOf(t, members...)
	return data[:len(data)-end]
}

// longLink is a header that gives the next member's target.
func longLink(t *testing.T, target string) []byte {
	t.Helper()
	return retyped(tarMembers(t, tarFile("././@LongLink", target+"\x00")), tar.TypeGNULongLink)
}

// extended is a header that gives a property of the next member.
func extended(t *testing.T, key, value string) []byte {
	t.Helper()
	record := " " + key + "=" + value + "\n"
	length := len(record)
	for len(fmt.Sprint(length))+len(record) != length {
		length = len(fmt.Sprint(length)) + len(record)
	}
	return retyped(tarMembers(t, tarFile("extended", fmt.Sprint(length)+record)), tar.TypeXHeader)
}

// huge is a member that says to be of 1 TiB.
func huge(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := tar.NewWriter(&out).WriteHeader(&tar.Header{Name: "huge", Typeflag: tar.TypeReg, Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// retyped makes the first member of an archive one of another kind, also one that the writer does not write.
func retyped(data []byte, kind byte) []byte {
	const kindAt, sumAt, sumEnd, block = 156, 148, 156, 512
	data = slices.Clone(data)
	data[kindAt] = kind
	copy(data[sumAt:sumEnd], "        ")
	sum := 0
	for _, b := range data[:block] {
		sum += int(b)
	}
	copy(data[sumAt:sumEnd], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
