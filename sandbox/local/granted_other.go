//go:build !linux

package local

import "github.com/sandboxguard/sandboxguard/sandbox/backend"

// Nothing isolates here, so no manifest has path grants.

func (grant) open() (*granted, error) { return nil, errUnopened }

func checkGranted([]grant, backend.Code) error { return nil }

func (account) as(func()) error { return errRights }
