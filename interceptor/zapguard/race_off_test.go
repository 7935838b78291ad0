//go:build !race

package zapguard_test

// slack is what a line may allocate more than without the guard.
const slack = 0
