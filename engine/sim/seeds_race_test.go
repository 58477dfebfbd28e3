//go:build race

package sim_test

// seeds is how many worlds are played twice; the race detector makes each ten times slower.
const seeds = 60
