//go:build race

package remade_test

const raceEnabled = true
