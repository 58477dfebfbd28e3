// Package recorder makes recordings of a consumer that runs: one to a file, which begins and ends
// when somebody wants that, and a black box, which has what was recorded last and is saved when
// something goes wrong. What becomes of a recording is nothing to the consumer.
//
// The recorder and its goroutine are in recorder.go, the recording to a file in file.go, the black
// box in box.go. What the consumer records to is in tape.go, which gives it to all recordings that
// are made (package recording has their container); what they say of themselves is in header.go.
// What counts as going wrong is in wrong.go, what of it the consumer's log tells in watch.go, and
// when a black box is saved by itself in saves.go.
package recorder
