// Package treemap is the Map screen: which queues eat the memory, and are those the sick
// ones?
//
// Each queue is a rectangle as large as what it holds, inside the rectangle of its broker,
// topic or owner. The picture is stable: rectangles are in the order of size classes and
// ids, so that a small change moves edges, not rectangles. The package owns the layout of
// the last snapshot as a memo. Java has no counterpart.
package treemap
