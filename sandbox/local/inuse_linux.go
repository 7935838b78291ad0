package local

import "golang.org/x/sys/unix"

// blockSize is the unit in which a file system counts.
func blockSize(fs *unix.Statfs_t) int64 {
	if fs.Frsize > 0 {
		return fs.Frsize
	}
	return fs.Bsize
}
