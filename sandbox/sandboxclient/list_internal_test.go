package sandboxclient

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

func TestParseList(t *testing.T) {
	file := func(path string, size int64) DirEntry {
		return DirEntry{Path: path, Kind: KindFile, Permissions: "-rw-r--r--", Owner: "u", Group: "g", Size: size}
	}
	for _, c := range []struct {
		name, dir, out string
		want           []DirEntry // nil if it is refused
	}{
		{"empty", "/w", "total 0\ndrwxr-xr-x 2 u g 4096 Jan  1 00:00 .\ndrwxr-xr-x 3 u g 4096 Jan  1  2024 ..\n", []DirEntry{}},
		{"file", "/w", "total 4\n-rw-r--r-- 1 u g     5 Jan 31 23:59 a.txt\n", []DirEntry{file("/w/a.txt", 5)}},
		{"blanks", "/w", "-rw-r--r-- 1 u g 5 Jan 31 23:59   a  b \n", []DirEntry{file("/w/  a  b ", 5)}},
		{"a file was asked for", "/w/a", "-rw-r--r-- 1 u g 5 Jan 31 23:59 /w/a\n", []DirEntry{file("/w/a", 5)}},
		{"a file was asked for, by a relative path", "/w/a", "-rw-r--r-- 1 u g 5 Jan 31 23:59 ../a\n", []DirEntry{file("/w/a", 5)}},
		{"attributes", "/w", "-rw-r--r--+ 1 u g 5 Jan 31 23:59 a\n", []DirEntry{{Path: "/w/a", Kind: KindFile, Permissions: "-rw-r--r--+", Owner: "u", Group: "g", Size: 5}}},
		{"device", "/dev", "crw-rw-rw- 1 0 0 1,   3 Jan 31 23:59 null\n", []DirEntry{{Path: "/dev/null", Kind: KindOther, Permissions: "crw-rw-rw-", Owner: "0", Group: "0"}}},
		{"link", "/w", "lrwxrwxrwx 1 u g 5 Jan 31 23:59 a b -> /c d\n", []DirEntry{{Path: "/w/a b", Kind: KindSymlink, Permissions: "lrwxrwxrwx", Owner: "u", Group: "g", Size: 5, Target: "/c d"}}},
		{"link that points twice", "/w", "lrwxrwxrwx 1 u g 5 Jan 31 23:59 a -> b -> c\n", nil},
		{"link that does not point", "/w", "lrwxrwxrwx 1 u g 5 Jan 31 23:59 a\n", nil},
		{"line break in a name", "/w", "-rw-r--r-- 1 u g 5 Jan 31 23:59 a\nb\n", nil},
		{"other locale", "/w", "-rw-r--r-- 1 u g 5 2024-01-31 23:59 a file\n", nil},
		{"other locale and a number", "/w", "-rw-r--r-- 1 u g 5 2024-01-31 23:59 7 a\n", nil},
		{"no name", "/w", "-rw-r--r-- 1 u g 5 Jan 31 23:59 \n", nil},
		{"path for a name", "/w", "total 4\n-rw-r--r-- 1 u g 5 Jan 31 23:59 ../a\n", nil},
		{"absolute path for a name", "/w", "-rw-r--r-- 1 u g 5 Jan 31 23:59 a\n-rw-r--r-- 1 u g 5 Jan 31 23:59 /etc/b\n", nil},
		{"error", "/w", "ls: cannot open directory\n", nil},
		{"nothing", "/w", "", []DirEntry{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseList(c.dir, c.out)
			if c.want == nil {
				if CodeOf(err) != backend.ExecNonzero || got != nil {
					t.Fatalf("got %v, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, append([]DirEntry{}, got...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("total 4\n-rw-r--r-- 1 u g 5 Jan 31 23:59 a\nlrwxrwxrwx 1 u g 5 Jan 31 23:59 a -> b\n")
	f.Add("crw-rw-rw- 1 0 0 1, 3 Jan 31 23:59 /dev/null")
	f.Fuzz(func(t *testing.T, out string) {
		entries, err := parseList("/w", out)
		for _, e := range entries {
			if err != nil || e.Path == "" || e.Path[0] != '/' || e.Path == "/w" && len(entries) > 1 || e.Kind == "" {
				t.Errorf("entry %+v, %v", e, err)
			}
		}
	})
}
