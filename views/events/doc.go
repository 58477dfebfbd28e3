// Package events is the stream of what happened, in order.
//
// Engine events and the program's own log are one list: oldest first, repeats folded with a
// count, filtered by level, source, queue and text. It follows the newest until the cursor
// moves up, and says then how many are new. It owns memos only. Its Java counterpart is
// rocketmq_client.log.
package events
