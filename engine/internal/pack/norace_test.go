//go:build !race

package pack

const raced = false
