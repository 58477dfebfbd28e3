//go:build !race

package scenario_test

// How many seeds the tests run. The race detector finds little where one thread takes turns, and
// is some times slower.
const lessonSeeds, jumpSeeds, handSeeds = 100, 1000, 300
