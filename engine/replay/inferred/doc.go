// Package inferred records what package infer makes of traffic, and plays it: events that were
// seen on the wire, of anybody's clients.
//
// A Recorder appends events to a recording; Import does so with all of a packet capture. A Track
// plays such a recording: it folds the events into the State of package infer and the Memory of
// package picture, from the nearest checkpoint or from a copy that it kept on the way. Who has a
// Recorder or a Track calls it from one goroutine. There is no Java counterpart.
//
// # What is in the file
//
// The header has source "capture" or "proxy", first number 1, and as meta "shapes" the
// description of package pack, by which another version of the program reads the records. The
// number of an event is the number of its record. Records are
//
//	1  an event: entry, packed. Of message bodies it has nothing.
//	2  a checkpoint, or its first part: a byte that is 1 when parts follow, and bytes
//	3  a further part, alike
//
// where the parts of a checkpoint together are a packed checkpoint: State and Memory as they are
// in front of it, and four bytes that say where Memory begins, so that two processors read it.
// Kinds that are not known are passed over.
//
// # How far checkpoints are apart
//
// A jump unpacks one checkpoint and takes the events up to where it goes: 1 MiB of either is some
// 10 to 25 ms of work. A checkpoint is written once twice its own size, at least 1 MiB and at most
// 1.5 MiB, has been written since the last. So with few queues checkpoints are a third of a large
// file at most; with thousands of busy ones, whose checkpoint has 5 MiB and more, most of it is
// checkpoints. A jump among 10,000 of them takes less than 100 ms with two processors.
//
// Copies of the state in memory, for steps back, are made where they cost a small part of the time
// that playing takes, and on the way of a jump only while they are small.
package inferred
