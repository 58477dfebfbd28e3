//go:build !race

package sim_test

// seeds is how many worlds are played twice.
const seeds = 1000
