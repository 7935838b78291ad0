// Package legacy holds programs that began with a credential in a plain string
// and whose histories therefore hold it, in the forms that a team has them in:
//
//   - as they are, with Token string, []byte, map and protobuf inputs. They must
//     go on under the guard with no change of code;
//   - after the field became a secrets.Value. Their old histories must replay.
//
// Recordings of the first form, written without the guard, are kept under
// testdata/histories/legacy (go run ./cmd/record).
package legacy
