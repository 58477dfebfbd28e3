// Package demo is a whole world in one process, over the real protocol: an embedded cluster, a
// producer, and a group of three members, of which one is ours and fully visible.
//
// It owns the cluster, the producer and the other members, and the script of what happens to
// them; whoever opened it calls Run and waits. Java has no counterpart. Its members are those of
// package engine; the same script on virtual time is in package scenario.
package demo
