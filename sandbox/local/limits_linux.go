package local

import (
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

type limits struct{}
type group struct{}

func (limits) group(int) (group, error) { return group{}, nil }
func (limits) perProcess() pid1.Limits { return pid1.Limits{} }
func (limits) reached(pid1.Report) []backend.Limit { return nil }
func (group) close() ([]backend.Limit, error) { return nil, nil }
