// Package plant has the switches of eight bugs that other clients had, so that the checks
// which are to find them are seen to do so. Only a build with the tag planted has the bugs,
// switched off until a test switches one on; in every other build the switches are constants
// and nothing of them is left in the program.
package plant
