package processqueue

import "time"

// LockExpiry is how old a granted lock may be for messages still to be handed out: half of
// the 60 s after which the broker gives it to others
// (Java: ProcessQueue.REBALANCE_LOCK_MAX_LIVE_TIME).
const LockExpiry = 30 * time.Second

// Lock says that the broker granted its lock of this queue; at is when it was asked for it,
// which is never later than when it did.
func (q *Queue) Lock(at time.Time) { q.locked.Store(&at) }

// Unlock says that the broker refused its lock, or that it was given back.
func (q *Queue) Unlock() { q.locked.Store(nil) }

// LockedAt is when the lock was last asked for and granted; false when it was refused since,
// or never granted (Java: ProcessQueue.locked and lastLockTimestamp).
func (q *Queue) LockedAt() (time.Time, bool) {
	at := q.locked.Load()
	if at == nil {
		return time.Time{}, false
	}
	return *at, true
}

// HoldsLock tells whether messages may be handed out at now: the lock was granted, and not
// longer than expiry ago (Java: isLocked and not isLockExpired).
func (q *Queue) HoldsLock(now time.Time, expiry time.Duration) bool {
	at := q.locked.Load()
	return at != nil && LockAge(now, *at) <= expiry
}

// LockAge is how much time passed from at to now by the clock that says more: the monotonic
// one of some systems stands still while the computer sleeps, and the broker's does not. It
// is asked before and after each batch, hence the plain nanoseconds; years 1678 to 2262.
func LockAge(now, at time.Time) time.Duration {
	return max(now.Sub(at), time.Duration(now.UnixNano()-at.UnixNano()))
}

// CountUnlockTry counts a try to give the queue up that its running listener held up;
// UnlockTries is how many there were (Java: ProcessQueue.tryUnlockTimes).
func (q *Queue) CountUnlockTry() { q.unlocks.Add(1) }

// UnlockTries is what CountUnlockTry counted.
func (q *Queue) UnlockTries() int { return int(q.unlocks.Load()) }
