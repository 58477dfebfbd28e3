// Package picture draws a consumer group that was seen from outside: the snapshot that all
// screens are made of, from the State of package infer.
//
// A State knows how things are. Screens also show how they came to be: rates, histories, round
// trips, who had which queue before, what happened. A Memory folds the same events into that,
// within bounds, and Picture puts both together. Nothing is guessed: what the traffic does not
// tell is unknown, with the reason. A Memory is plain data: it can be copied, stored, and gone on
// with later. The package waits for nothing and reads no clock; the same events give the same
// pictures. There is no Java counterpart.
package picture
