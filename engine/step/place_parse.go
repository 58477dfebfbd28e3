package step

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mqscope/engine/decision"
)

// placeShapes say how places are written, after the first word.
func placeShapes() map[string]string {
	return map[string]string{
		"any": "any if span > 1500", "queue": "queue topic/broker/3", "cause": "cause flow:span",
		"status": "status OFFSET_ILLEGAL", "offset": "offset > 1200", "time": "time t+12s", "owner": "owner topic/broker/3",
	}
}

// ParsePlace reads a place with or without a condition, as "flow.span if span > 1500". A bare
// condition, as "span > 1500", means any decision that it holds for.
func ParsePlace(text string) (*Place, error) {
	words := Words(text)
	if len(words) == 0 {
		return nil, mistake(1, "there is no place", "write a line as flow.span, or queue, cause, status, offset, time, owner, any")
	}
	where, condition := words, Word{}
	if i := slices.IndexFunc(words, func(w Word) bool { return w.Text == "if" }); i >= 0 {
		where = words[:i]
		if i+1 == len(words) {
			return nil, mistake(after(words), "the condition is missing", "write it as if span > 1500")
		}
		if i == 0 {
			return nil, mistake(1, "there is no place before if", "write any if …")
		}
		condition = Word{Text: trimRight(text[words[i+1].from:]), Column: words[i+1].Column}
	}
	p, err := parseWhere(where)
	if err != nil {
		if condition.Text == "" && looksLikeCondition(words) {
			c, bare := CompileCondition(trimRight(text[words[0].from:]), nil)
			if _, keyword := placeShapes()[words[0].Text]; bare == nil || !keyword {
				return &Place{cond: c}, Placed(bare, 1, words[0].Column)
			}
		}
		return nil, err
	}
	if condition.Text != "" {
		if p.cond, err = CompileCondition(condition.Text, p.line); err != nil {
			return nil, Placed(err, 1, condition.Column)
		}
	} else if p.kind == anywhere {
		return nil, mistake(after(words), "any needs a condition", "write it as any if span > 1500")
	}
	return p, nil
}

// looksLikeCondition tells whether a text that is no place compares something.
func looksLikeCondition(words []Word) bool {
	return slices.ContainsFunc(words[1:], func(w Word) bool { return strings.ContainsAny(w.Text, "<>=&|") }) ||
		strings.ContainsAny(words[0].Text, "<>=&|!()")
}

func parseWhere(words []Word) (*Place, error) {
	first, rest := words[0], words[1:]
	shape, keyword := placeShapes()[first.Text]
	if !keyword {
		line := decision.Find(first.Text)
		if line == nil {
			return nil, unknownPlace(first)
		}
		if len(rest) > 0 {
			return nil, mistake(rest[0].Column, fmt.Sprintf("%q is too much", rest[0].Text), "write "+first.Text+" if … for a condition")
		}
		return &Place{kind: atLine, line: line}, nil
	}
	switch want := len(Words(shape)) - 1; {
	case first.Text == "any" && len(rest) > 0:
		return nil, mistake(rest[0].Column, fmt.Sprintf("%q is too much", rest[0].Text), "write it as "+shape)
	case first.Text == "any":
		return &Place{}, nil
	case len(rest) < want:
		return nil, mistake(after(words), first.Text+" says not which one", "write it as "+shape)
	case len(rest) > want:
		return nil, mistake(rest[want].Column, fmt.Sprintf("%q is too much", rest[want].Text), "write it as "+shape)
	}
	return parseKeyword(first.Text, rest)
}

func parseKeyword(keyword string, rest []Word) (*Place, error) {
	p := &Place{word: rest[0].Text}
	var err error
	switch keyword {
	case "queue", "owner":
		if p.kind = atQueue; keyword == "owner" {
			p.kind = atOwner
		}
		p.word = ""
		p.queue, err = queueOf(rest[0])
	case "cause":
		p.kind = atCause
		p.word = strings.ReplaceAll(p.word, "_", " ") // causes have spaces, words have none
	case "status":
		p.kind = atStatus
	case "offset":
		p.kind = atOffset
		if !slices.Contains([]string{">", ">=", "<", "<=", "==", "!="}, p.word) {
			return nil, mistake(rest[0].Column, fmt.Sprintf("%q does not compare", p.word), "write it as offset > 1200")
		}
		if p.number, err = strconv.ParseInt(rest[1].Text, 10, 64); err != nil {
			return nil, mistake(rest[1].Column, fmt.Sprintf("%q is no offset", rest[1].Text), "write it as offset > 1200")
		}
	case "time":
		p.kind = atTime
		p.word = ""
		p.at, err = ParseMoment(rest[0])
	}
	return p, err
}

func unknownPlace(w Word) error {
	var list []string
	for word := range placeShapes() {
		list = append(list, word)
	}
	slices.Sort(list)
	for _, l := range decision.Lines() {
		list = append(list, l.ID)
	}
	what := fmt.Sprintf("there is no line %q", w.Text)
	if near := nearest(w.Text, list); near != "" {
		return mistake(w.Column, what, "did you mean "+near+"?")
	}
	return mistake(w.Column, what, "write one as flow.span, or queue, cause, status, offset, time, owner, any")
}
