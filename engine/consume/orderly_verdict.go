package consume

// ordered is what follows from the answer of an orderly listener.
type ordered uint8

const (
	commitAll ordered = iota // the whole consuming set is done
	keepBatch                // done, but committed only with a later commit
	rollBack                 // the whole consuming set again, after the suspension
	failBatch                // this batch again after the suspension, or to the dead letters
)

// decideOrdered is the rule of ConsumeMessageOrderlyService.processConsumeResult. odd says
// that the answer is not meant to be given with AutoCommit on; Java warns, and takes even a
// ROLLBACK for success then.
func decideOrdered(s OrderlyStatus, autoCommit bool) (o ordered, odd bool) {
	switch s {
	case OrderlySuccess:
		if autoCommit {
			return commitAll, false
		}
		return keepBatch, false
	case Commit:
		return commitAll, autoCommit
	case Rollback:
		if autoCommit {
			return commitAll, true
		}
		return rollBack, false
	default:
		return failBatch, false
	}
}
