//go:build race

package scenario_test

const lessonSeeds, jumpSeeds = 10, 30
