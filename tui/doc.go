// Package tui is the screen: the only Bubble Tea model of the program.
//
// It takes snapshots from an engine.Source and keys from a terminal, routes both to the view
// on top of its stack, carries out what views intend, and composes the frame. It decides
// nothing about queues and formats no data. Run owns the terminal while it runs: one bridge
// goroutine brings the newest snapshot and wakes the model at times it asked for, Bubble
// Tea's loop does everything else, and all of it has ended when Run returns.
//
// What is drawn comes from the views, which keys exist from keymap, how it looks from
// themes. Its nearest Java counterpart is the RocketMQ dashboard.
package tui
