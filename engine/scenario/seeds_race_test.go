//go:build race

package scenario_test

const lessonSeeds, jumpSeeds, handSeeds = 10, 30, 30
