package protocol

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

func TestS1SubscriptionsParseAsJavaParsesThem(t *testing.T) {
	type subscription struct {
		Topic, SubString string
		TagsSet          []string
		CodeSet          []int32
		ExpressionType   string
		ClassFilterMode  bool
	}
	type vector struct {
		Method, Topic string
		Expression    *string
		Type          *string
		Result        *subscription
		Error         *javaError
	}
	for _, v := range vectors[vector](t, "subscriptions.jsonl") {
		expression, kind := "", ExpressionTAG
		if v.Expression != nil {
			expression = *v.Expression
		}
		if v.Type != nil {
			kind = *v.Type
		}
		t.Run(v.Method+" of "+expression+" as "+kind, func(t *testing.T) {
			var got SubscriptionData
			var err error
			if v.Method == "build" {
				got, err = ParseSubscriptionOfType(v.Topic, expression, kind, 5)
			} else {
				got, err = ParseSubscription(v.Topic, expression, 5)
			}
			if (v.Error != nil) != (err != nil) {
				t.Fatalf("Java %v, ours %v", v.Error, err)
			}
			if err != nil {
				return
			}
			if got.SubVersion != 5 {
				t.Errorf("version %d", got.SubVersion)
			}
			slices.Sort(got.TagsSet)
			slices.Sort(got.CodeSet)
			ours := subscription{got.Topic, got.SubString, got.TagsSet, got.CodeSet, got.ExpressionType, got.ClassFilterMode}
			if diff := cmp.Diff(*v.Result, ours, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestP11TagsWithTheSameHashAreTwoTags(t *testing.T) {
	s, err := ParseSubscription("t", "AaAa||BBBB", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.TagsSet) != 2 || len(s.CodeSet) != 1 {
		t.Fatalf("%d tags, %d codes", len(s.TagsSet), len(s.CodeSet))
	}
	only, _ := ParseSubscription("t", "AaAa", 1)
	if !only.MatchesCode(TagCode("BBBB")) {
		t.Error("a broker compares hashes, which are equal")
	}
	data := storedWith(t, "BBBB")
	b, err := indexed(data)
	if err != nil {
		t.Fatal(err)
	}
	if b.At(0).HasTag(only.Tags()) {
		t.Error("BBBB passed for AaAa")
	}
	if !b.At(0).HasTag(s.Tags()) {
		t.Error("BBBB was asked for")
	}
}

func storedWith(t testing.TB, tags string) []byte {
	t.Helper()
	m := sheetMessage()
	m.Properties = AppendProperties(nil, []Property{{mq.PropertyTags, tags}})
	data, err := AppendMessage(nil, &m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestP12TagHashesWrapAt32Bits(t *testing.T) {
	type vector struct {
		Text     *string
		HashCode int32
		TagsCode int64
	}
	negative := 0
	for _, v := range vectors[vector](t, "hashcodes.jsonl") {
		if v.Text == nil {
			continue // no tag, or text that is not UTF-8
		}
		if v.HashCode < 0 {
			negative++
		}
		if got := mq.HashJava(*v.Text); got != v.HashCode {
			t.Errorf("hash of %q is %d, Java says %d", *v.Text, got, v.HashCode)
		}
		if got := TagCode(*v.Text); got != v.TagsCode {
			t.Errorf("tag code of %q is %d, Java says %d", *v.Text, got, v.TagsCode)
		}
	}
	if negative == 0 {
		t.Error("no vector wraps")
	}
}

func TestMatchesCodeAsABrokerDoes(t *testing.T) {
	tag, _ := ParseSubscription("t", "TagA", 1)
	all, _ := ParseSubscription("t", "*", 1)
	blank, _ := ParseSubscription("t", "  ", 1)
	sql, _ := ParseSubscriptionOfType("t", "a > 5", ExpressionSQL92, 1)
	for _, tc := range []struct {
		name string
		sub  SubscriptionData
		tag  string
		want bool
	}{
		{"the tag itself", tag, "TagA", true},
		{"another tag", tag, "TagB", false},
		{"no tag", tag, "", false},
		{"everything takes a message without tag", all, "", true},
		{"a blank expression takes nothing", blank, "TagA", false},
		{"SQL is not decided by codes", sql, "x", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.sub.MatchesCode(TagCode(tc.tag)); got != tc.want {
				t.Errorf("matches: %v", got)
			}
		})
	}
	if all.Tags() != nil || blank.Tags() != nil || sql.Tags() != nil || len(tag.Tags()) != 1 {
		t.Error("only tags are filtered again")
	}
}
