package interceptor

import "reflect"

// still reports that the walk would do nothing with v and what is below it.
func (w *walker) still(v reflect.Value, key string) bool {
	if w.lost || w.text != nil && w.search == nil {
		return false
	}
	f := finder{guard: w.value != nil || w.manifest != nil || w.runConfig != nil, objects: w.object != nil, unsent: w.unsent, visited: w.visited}
	if w.text != nil {
		f.text = w.search
	}
	// The walk ends at depths of its own, which it has to notice itself.
	if f.value(v, key, min(maxDepth-len(w.at), 2*maxDepth-w.depth)-1) {
		w.lost = f.gaveUp
		return false
	}
	w.visited = f.visited
	return true
}
