// Package tracks opens recordings of all sources that this program plays. It is apart from
// package replay so that what plays a source may import that. There is no Java counterpart.
package tracks
