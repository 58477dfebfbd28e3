// Package redact makes another recording of one, without what a policy does not let out.
//
// It knows of a recording only what types its records have; what is in them it finds by the
// description that the recording has of them, so that it works for files of other versions too. A
// kind of record that it does not know is an error, not passed on. The numbers and times of records
// stay as they are, and so do the bookmarks of people. It owns the file that it writes. There is
// no Java counterpart.
package redact
