//go:build race

package zapguard_test

// slack is what a line may allocate more than without the guard: with the race detector, pools drop what
// they are given at random.
const slack = 6
