package tui

import (
	"mqscope/views"
	"mqscope/views/detail"
	"mqscope/views/events"
	"mqscope/views/latency"
	"mqscope/views/locks"
	"mqscope/views/overview"
	"mqscope/views/queues"
	"mqscope/views/rebalance"
	"mqscope/views/scheduler"
	"mqscope/views/treemap"
)

// screens are all views there are; the first one is where the program begins.
func screens() []views.View {
	return []views.View{
		overview.New(), queues.New(), treemap.New(), locks.New(), latency.New(), rebalance.New(), scheduler.New(),
		detail.New(), events.New(),
	}
}
