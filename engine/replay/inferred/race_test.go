//go:build race

package inferred

// raceEnabled says that the race detector is on: what one goroutine does takes ten times as long.
const raceEnabled = true
