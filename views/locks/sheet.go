package locks

import (
	"strings"
	"time"

	"mqscope/views"
)

// Sheet implements views.Exporter: the locks that pass.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	m := v.list(in.Snap, stateOf(in.State).Params, in.Now)
	s := views.NewSheet("locks", in.Snap.At, "lock", "topic", "broker", "queue_id", "owner", "broker_says", "believers",
		"granted_at", "client_lease_until", "broker_lease_until", "renew_at", "unlock_tries")
	for i := range m.rows {
		q, r := m.queue(i)
		until := func(lease time.Duration) views.Cell {
			if !r.Granted {
				return views.Cell{Why: "never granted"}
			}
			if lease == 0 {
				return views.Cell{Why: "leases do not show on the wire"}
			}
			return views.When(q.Lock.GrantedAt.Add(lease))
		}
		believers := views.Is(strings.Join(r.Believers, " "))
		if len(r.Believers) == 0 {
			believers = views.Cell{Why: "not known"}
		}
		renew, tries := views.When(q.Lock.RenewAt), views.Is(r.Tries)
		if q.Inferred {
			renew, tries = views.Cell{Why: "it does not show on the wire"}, views.Cell{Why: "it does not show on the wire"}
		}
		granted := views.When(q.Lock.GrantedAt)
		if !r.Granted {
			granted.Why = "never granted"
		}
		row := append([]views.Cell{views.Is(string(r.Kind.Word()))}, views.QueueCells(q.ID)...)
		s.Add(append(row, views.Reading(q.Owner, in.Snap.At), views.Is(r.Says.String()), believers, granted,
			until(r.ClientLease), until(r.BrokerLease), renew, tries)...)
	}
	return s, m.all > 0
}
