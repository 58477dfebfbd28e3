//go:build !race

package inferred

const raceEnabled = false
