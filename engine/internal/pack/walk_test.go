package pack

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type property struct{ Name, Value string }

type mail struct {
	Topic  string
	Body   []byte            `pack:"body"`
	Props  map[string]string `pack:"properties"`
	List   []property        `pack:"properties"`
	Stored string            `pack:"properties"`
	Remark string            `pack:"text"`
	Err    error
	Of     any
	Again  *node
	Nodes  []*node
	Empty  [3]struct{}
	Nested map[int]mail
}

func aMail() *mail {
	n := &node{name: "n"}
	n.left = n
	return &mail{
		Topic: "T", Body: []byte("body"), Props: map[string]string{"a": "1", "secret": "2", "z": "3"},
		List: []property{{"x", "4"}, {"secret", "5"}}, Stored: "stored", Remark: "remark", Err: fmt.Errorf("outer: %w", errClosed),
		Of: queue{"T", "b", 1}, Again: n, Nodes: []*node{n, {name: "m"}},
		Nested: map[int]mail{1: {Topic: "inner", Err: errors.New("plain"), Again: n}},
	}
}

func TestRewriteOfNothingChangesNothing(t *testing.T) {
	c := codec()
	a, err := c.Adapt(c.Describe(rich{}, mail{}))
	if err != nil {
		t.Fatal(err)
	}
	keep := func(*Leaf) ([]byte, Verdict) { return nil, Keep }
	for _, v := range []any{full(), &rich{}, aMail()} {
		src := c.Append(nil, v)
		name := strings.TrimPrefix(fmt.Sprintf("%T", v), "*pack.")
		for _, c := range []*Codec{c, a} {
			got, rest, err := c.Rewrite(nil, append(src, "rest"...), "engine/internal/pack."+name, keep)
			if err != nil || string(rest) != "rest" || !bytes.Equal(got, src) {
				t.Errorf("%s: %v, rest %q", name, err, rest)
			}
		}
	}
	var event any = queue{"T", "b", 1}
	src := c.Append(nil, &event)
	if got, _, err := a.Rewrite(nil, src, "", keep); err != nil || !bytes.Equal(got, src) {
		t.Errorf("an event: %v", err)
	}
	if _, _, err := a.Rewrite(nil, src, "nobody", keep); err == nil {
		t.Error("a type that is not described")
	}
}

func TestRewriteFindsWhatIsTagged(t *testing.T) {
	c := New(queue{}).Errors("closed", errClosed)
	a, err := New().Adapt(c.Describe(mail{})) // whoever walks knows none of the types
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	out, _, err := a.Rewrite(nil, c.Append(nil, aMail()), "engine/internal/pack.mail", func(l *Leaf) ([]byte, Verdict) {
		path := strings.TrimPrefix(l.Path(), "engine/internal/pack.mail.")
		seen = append(seen, fmt.Sprintf("%s|%s|%s|%s", path, l.Tag, l.Name, l.Value))
		switch {
		case l.Name == "secret":
			return nil, Drop
		case l.Tag == "body":
			return []byte("a longer one"), Replace
		case l.Error:
			return bytes.ToUpper(l.Value), Replace
		}
		return nil, Keep
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Topic|||T", "Body|body||body", "Props|properties|secret|2", "List.Value|properties|secret|5",
		"Stored|properties||stored", "Remark|text||remark", "Err|||outer: closed", "Of.Topic|||T", "Again.name|||n", "Nested.Topic|||inner",
	} {
		if !slices.Contains(seen, want) {
			t.Errorf("%s is not among\n%s", want, strings.Join(seen, "\n"))
		}
	}
	var got mail
	if _, err := c.Decode(out, &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Body) != "a longer one" || len(got.Props) != 2 || got.Props["z"] != "3" || got.List[1] != (property{"secret", ""}) ||
		got.Err.Error() != "OUTER: CLOSED" || !errors.Is(got.Err, errClosed) || got.Nested[1].Err.Error() != "PLAIN" ||
		got.Nested[1].Again != got.Again || got.Again.left != got.Again || got.Nodes[1].name != "m" {
		t.Errorf("%+v", got)
	}
}
