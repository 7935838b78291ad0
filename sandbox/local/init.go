package local

import "github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"

// Init must be the first line of main in programs that use the launchers [Native] and [Bubblewrap], and of TestMain in
// their tests. It returns at once, except where the program was started to be the first process of a sandbox: it is that
// then, and does not return. Without it New fails within two seconds and names this line.
//
//	func main() {
//		local.Init()
//		...
func Init() { pid1.Main() }
