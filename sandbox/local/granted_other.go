//go:build !linux

package local

// Nothing isolates here, so no manifest has path grants.

func (grant) open() (*granted, error) { return nil, errGone }

func (account) as(func()) error { return errRights }
