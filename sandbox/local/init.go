package local

import "sync/atomic"

// agreed is whether the program has said that it may be started again.
var agreed atomic.Bool

// Init must be the first line of main in programs that use a launcher that isolates, and of TestMain in
// their tests. With it a program agrees to be started again as the first process of each sandbox, and as what starts those,
// under names of which nothing but this package knows: what it is then it becomes before its main function. Without it New
// refuses, and names this line.
//
//	func main() {
//		local.Init()
//		...
func Init() { agreed.Store(true) }
