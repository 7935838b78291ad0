//go:build linux

package pid1

import "fmt"

// etcFiles are the files of /etc that programs expect. They say nothing of the host.
func etcFiles(job Job) map[string]string {
	uid, gid, home := job.UID, job.GID, job.Workspace
	return map[string]string{
		"passwd": fmt.Sprintf("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:%d:%d:agent:%s:/bin/sh\n"+
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n", uid, gid, home),
		"group":         fmt.Sprintf("root:x:0:\nagent:x:%d:\nnogroup:x:65534:\n", gid),
		"hosts":         "127.0.0.1 localhost " + hostname + "\n::1 localhost\n",
		"hostname":      hostname + "\n",
		"resolv.conf":   "",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	}
}

func makeEtc(s *state) error {
	for name, content := range etcFiles(s.job) {
		if err := makeFile("etc/"+name, content); err != nil {
			return err
		}
	}
	return nil
}
