// Package scheduler shows which pull task runs next, why it was put back, and what the code
// decides: the task table, the delays as a line of time, the decisions of the task whose turn
// it is, and those before it.
//
// While a person steps it asks for steps, runs, breakpoints and interventions, as values of
// package engine/step/command in views.Step; it carries none out. It owns memos only. Time in
// it is the engine's: on virtual time that stands still between decisions. Java's counterparts
// are PullMessageService and the task table of MQPullConsumerScheduleService, which nothing
// shows.
package scheduler
