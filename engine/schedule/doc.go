// Package schedule decides when each pull runs: the due times behind every "later".
//
// A Schedule holds one Request for each assigned queue, which is either waiting here for
// its due time or out in one pull. The loop of package consumer owns it and steps it; it
// starts nothing and reads no clock. A request that is out for longer than any pull can take
// was lost by someone and is made due again, so that no queue stands still for ever.
//
// A Table holds the tasks of the pull-task service, one for each queue, and says whose
// callback is to be called; its owner calls it and says when it returned.
//
// Java: PullMessageService with its scheduled executor, and the PullRequest that circulates
// through them; for Table MQPullConsumerScheduleService. Whether a pull may be made and what
// it says is left to package pull, who owns the queue to package rebalance.
package schedule
