// Package queues is the list of queues: what is every assigned queue doing right now?
//
// It filters by text and terms, sorts by any column, groups with sums, and keeps the cursor
// on its queue whatever moves. It owns memos only: filter and order are worked out once per
// snapshot and key, never per frame. A single queue is left to package detail. In the Java
// world the nearest thing is the consumerProgress command of mqadmin.
package queues
