// Package scenario has the worlds that a person steps through: the ten lessons, and the demo.
//
// A scenario is the configuration of a sim.World, a few sentences for the person beside it, and
// goals: states that it promises to reach, each found out from the decisions that are made. What
// a goal says is so because the engine decided it; nothing here decides anything.
//
// The package owns nothing but the goals of a world while that runs. Java has no counterpart.
package scenario
