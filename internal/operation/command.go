package operation

import (
	"encoding/json"
	"errors"
)

// Shell says how a command is run. The zero Shell is the default shell of the sandbox.
type Shell struct {
	// Off runs the command as it is.
	Off bool
	// Prefix is what stands before the one string that the command becomes, such as bash -lc. Empty is the
	// default shell.
	Prefix []string
}

// MarshalJSON writes true, false or the prefix.
func (s Shell) MarshalJSON() ([]byte, error) {
	if !s.Off && len(s.Prefix) > 0 {
		return json.Marshal(s.Prefix)
	}
	return json.Marshal(!s.Off)
}

// UnmarshalJSON reads a truth value or a list, of which the empty one means no shell. Null is refused.
func (s *Shell) UnmarshalJSON(data []byte) error {
	var on *bool
	if json.Unmarshal(data, &on) == nil && on != nil {
		*s = Shell{Off: !*on}
		return nil
	}
	var prefix []string
	if json.Unmarshal(data, &prefix) != nil || prefix == nil {
		return errors.New("shell must be a truth value or a list of strings")
	}
	*s = Shell{Off: len(prefix) == 0, Prefix: prefix}
	return nil
}

// User is the account that a command runs as. Empty is the default one.
type User string

// MarshalJSON writes the name, and null for the default account.
func (u User) MarshalJSON() ([]byte, error) {
	if u == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(u))
}

// UnmarshalJSON reads a name, an object that has one, or null.
func (u *User) UnmarshalJSON(data []byte) error {
	var name *string
	if json.Unmarshal(data, &name) == nil {
		if *u = ""; name != nil {
			*u = User(*name)
		}
		return nil
	}
	var account struct {
		Name *string `json:"name"`
	}
	if json.Unmarshal(data, &account) != nil || account.Name == nil {
		return errors.New("user must be a name, an object with one, or null")
	}
	*u = User(*account.Name)
	return nil
}
