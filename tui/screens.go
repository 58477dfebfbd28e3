package tui

import (
	"mqscope/views"
	"mqscope/views/detail"
	"mqscope/views/events"
	"mqscope/views/overview"
	"mqscope/views/queues"
)

// screens are all views there are; the first one is where the program begins.
func screens() []views.View {
	return []views.View{overview.New(), queues.New(), detail.New(), events.New()}
}
