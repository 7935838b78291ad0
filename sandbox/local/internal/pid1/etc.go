//go:build linux

package pid1

import "fmt"

// makeEtc makes the files of /etc that programs expect. They say nothing of the host.
func makeEtc(s *state) error {
	uid, gid, home := s.job.UID, s.job.GID, s.job.Workspace
	for name, content := range map[string]string{
		"passwd": fmt.Sprintf("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:%d:%d:agent:%s:/bin/sh\n"+
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n", uid, gid, home),
		"group":         fmt.Sprintf("root:x:0:\nagent:x:%d:\nnogroup:x:65534:\n", gid),
		"hosts":         "127.0.0.1 localhost sandbox\n::1 localhost\n",
		"hostname":      "sandbox\n",
		"resolv.conf":   "",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	} {
		if err := makeFile("etc/"+name, content); err != nil {
			return err
		}
	}
	return nil
}
