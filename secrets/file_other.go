//go:build !unix

package secrets

// openNonblock is nothing where opening a file of the file system never waits
// for anybody.
const openNonblock = 0
