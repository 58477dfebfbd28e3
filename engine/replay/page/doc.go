// Package page writes what happened in a span of a recording as one HTML file, for people
// without a terminal: time line, queues, who had which of them, events.
//
// The file needs nothing but itself: no network, no script to be read, light and dark, to print.
// What a recording holds is untrusted: every text is escaped, and what does not show as it is
// becomes visible. Memory is bounded whatever the recording's length: lists end at a limit, and
// say what they left out. A page owns the track while it is made. There is no Java counterpart.
package page
