package sandbox

import "encoding/json"

// User is an account of the sandbox.
type User struct {
	// Name is the name of the account. Required.
	Name string `json:"name"`
}

// Group is a group of the sandbox. Where an entry names the group that owns
// it, only Name matters.
type Group struct {
	// Name is the name of the group. Required.
	Name string `json:"name"`
	// Users are the members. Nil and empty mean the same, are both written as
	// an empty list, which readers of the format require, and are read as nil.
	Users []User `json:"users"`
}

// MarshalJSON writes g, its users never as null.
func (g Group) MarshalJSON() ([]byte, error) {
	type plain Group
	if g.Users == nil {
		g.Users = []User{}
	}
	return json.Marshal(plain(g))
}

func (u User) tree() map[string]any { return map[string]any{"name": u.Name} }

func (g Group) tree() map[string]any { return map[string]any{"name": g.Name, "users": g.Users} }

func isUserKey(key string) bool { return key == "name" }

func isGroupKey(key string) bool { return key == "name" || key == "users" }

func (d *decoder) users(v any, at *place) []User {
	elems, ok := d.elements(v, at)
	if !ok {
		return nil
	}
	out := make([]User, 0, len(elems))
	for i, e := range elems {
		at := at.index(i)
		m, ok := d.fields(e, at)
		if !ok {
			continue
		}
		d.known(m, at, isUserKey, false)
		out = append(out, User{Name: d.requiredStr(m, "name", at)})
	}
	return out
}

func (d *decoder) groups(v any, at *place) []Group {
	elems, ok := d.elements(v, at)
	if !ok {
		return nil
	}
	out := make([]Group, 0, len(elems))
	for i, e := range elems {
		out = append(out, d.group(e, at.index(i), true))
	}
	return out
}

// group reads a group. The group of an entry may also be written as a user,
// that is without members.
func (d *decoder) group(v any, at *place, members bool) Group {
	m, ok := d.fields(v, at)
	if !ok {
		return Group{}
	}
	d.known(m, at, isGroupKey, false)
	out := Group{Name: d.requiredStr(m, "name", at)}
	if members {
		d.required(m, "users", at)
	}
	if users, ok := m["users"]; ok {
		if read := d.users(users, at.key("users")); len(read) > 0 {
			out.Users = read
		}
	}
	return out
}
