// Package zapguard keeps secret values out of zap logs.
package zapguard
