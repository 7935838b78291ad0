package local

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzStat reads what the kernel says about processes. Their names, which commands choose, change nothing of it.
func FuzzStat(f *testing.F) {
	f.Add([]byte("12 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20"), "x")
	f.Add([]byte("12 (a) b) Z 1 -2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20\n"), ") R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 (")
	f.Add([]byte("12 (a) S 1 2 x"), "\x00\n")
	f.Add([]byte(")"), ")")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		got, ok := statIn(data)
		tail := string(data[strings.LastIndexByte(string(data), ')')+1:])
		if named, same := statIn([]byte("7 (" + name + ")" + tail)); named != got || same != ok {
			t.Errorf("%q is %+v, named %q it is %+v", data, got, name, named)
		}
		if !ok {
			return
		}
		fields := make([]string, 20)
		for i := range fields {
			fields[i] = "0"
		}
		fields[0], fields[2], fields[3], fields[19] = got.state, strconv.Itoa(got.group), strconv.Itoa(got.session), got.start
		if again, ok := statIn([]byte("7 () " + strings.Join(fields, " "))); !ok || again != got {
			t.Errorf("%q is %+v, and written again %+v", data, got, again)
		}
	})
}

// FuzzHome looks into environments, which commands can change: only a HOME below the directory counts, and only its
// first segment is asked for.
func FuzzHome(f *testing.F) {
	f.Add("A=b\x00HOME=/dir/name/workspace\x00", "name")
	f.Add("HOME=/dir/\x00HOME=/dir/name", "name")
	f.Add("HOME=/dirt/name", "name")
	f.Add("XHOME=/dir/name\x00HOME=", "")
	f.Add("HOME=/dir/../name", "..")
	f.Fuzz(func(t *testing.T, env, name string) {
		var asked []string
		is := func(n string) bool { asked = append(asked, n); return n == name }
		found := hasHomeIn(env, "/dir", is)
		if found != slices.Contains(asked, name) || len(asked) > 1 {
			t.Errorf("%q: found %t, asked for %q", env, found, asked)
		}
		for _, n := range asked {
			if strings.ContainsAny(n, "/\x00") || !strings.Contains("\x00"+env, "\x00HOME=/dir/"+n) {
				t.Errorf("%q: asked for %q", env, n)
			}
		}
		if own := strings.ReplaceAll(name, "/", ""); !strings.Contains(own, "\x00") {
			if !hasHomeIn("HOME=/dir/"+own+"/workspace\x00"+env, "/dir", func(n string) bool { return n == own }) {
				t.Errorf("%q was not found", own)
			}
		}
	})
}
