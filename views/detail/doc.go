// Package detail is one queue in full: what does this ProcessQueue hold, and what stops it?
//
// It shows the four offsets on a ruler, every cached message as a cell, the flow-control
// limits as gauges, the last minutes and the queue's events. When the queue is revoked while
// the screen is open the last picture stays, and says since when it is old. It owns memos
// only. Its Java counterparts are ProcessQueue, ProcessQueueInfo and the client's log.
package detail
