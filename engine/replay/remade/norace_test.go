//go:build !race

package remade_test

const raceEnabled = false
