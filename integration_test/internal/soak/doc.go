// Package soak runs the gauntlet many times while the policy changes its mind
// at random, each time it is asked, and every workflow task replays from the
// first event. Nothing but what the guard recorded can then make two replays
// agree.
package soak
