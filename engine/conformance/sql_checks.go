package conformance

import (
	"mqscope/engine/protocol"
)

func sqlChecks() []Check {
	return []Check{
		{"C16", "SQL92 compares numbers of one kind: 5.5 is not greater than 5, but than 5.0", sqlNumbers},
		{"C17", "a pull whose SQL92 does not compile is not filtered, the check of it is refused", sqlBroken},
		{"C18", "SQL92 is refused unless the broker has it switched on", sqlOff},
	}
}

// sqlOn switches SQL92 on, for this check and those after it.
func (e *Env) sqlOn() {
	if e.EnableSQL == nil {
		e.Skip("SQL92 can not be switched on here")
	}
	e.EnableSQL()
}

// sqlHeader is a pull that brings its SQL92 expression along.
func sqlHeader(group, topic, expression string) *protocol.PullMessageRequest {
	h := PullHeader(group, topic, 0, 0, expression)
	h.ExpressionType = protocol.ExpressionSQL92
	return h
}

func sqlNumbers(e *Env) {
	e.sqlOn()
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.SendProps(topic, 0, "x", protocol.Property{Name: "a", Value: "5.5"})
	c.Settle(topic, 0, 1)
	e.WantPull("a > 5", c.Pull(sqlHeader(group, topic, "a > 5")), protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 1)
	e.wantCount("a > 5.0", c.Pull(sqlHeader(group, topic, "a > 5.0")), 1, 1)
}

func sqlBroken(e *Env) {
	e.sqlOn()
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.SendProps(topic, 0, "x", protocol.Property{Name: "a", Value: "1"})
	c.Settle(topic, 0, 1)
	const broken = "a > '5'"
	e.wantCount("an expression that does not compile", c.Pull(sqlHeader(group, topic, broken)), 1, 1)
	sub := e.Sub(topic, broken, 1)
	sub.ExpressionType, sub.TagsSet, sub.CodeSet = protocol.ExpressionSQL92, nil, nil
	body := protocol.CheckClientRequestBody{ClientID: c.ID, Group: group, Subscription: sub}
	c.Want(protocol.SubscriptionParseFailed, e.Broker(), protocol.CheckClientConfig, nil, body.Encode())
}

func sqlOff(e *Env) {
	c := e.Client()
	h := sqlHeader(e.Name("G"), e.Topic(c, 1), "a > 5")
	p := c.Pull(h)
	if p.Code != protocol.SystemError && p.Code != protocol.PullNotFound { // 19: switched on
		e.Errorf("%v %q", p.Code, p.Remark)
	}
	h.Subscription = ""
	h.SysFlag = flagSub
	if p := c.Pull(h); p.Code != protocol.SubscriptionParseFailed {
		e.Errorf("empty SQL92: %v, want 23", p.Code)
	}
}
