package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// job is what one process is to do. It reaches the process as name=value arguments, the same
// for a Go process and for Java's.
type job struct {
	Do         string // one of roles
	Who        string // the contestant
	NameServer string
	Topic      string
	WarmTopic  string // what the JVM is warmed with
	Group      string
	Orderly    bool
	First      int // number of the first message to produce
	Skip       int // messages handled before the measurement begins
	Count      int // messages that are measured
	Rate       int // messages a second to produce
	Size       int // of a body in bytes
	Queues     int // of the topic
	IdleQueues int // of the topic that nothing is sent to
	Batch      int // messages a handler gets at once
	Pull       int // messages asked for in one pull
	Settle     time.Duration
	Idle       time.Duration
	Rates      string
	CPUProfile string
}

// knobs are the fields that whoever runs the bench may choose.
func (j *job) knobs(f *flag.FlagSet) {
	f.IntVar(&j.Count, "n", 300_000, "messages of a catch-up that are measured")
	f.IntVar(&j.Skip, "warm", 200_000, "messages drained before them; also what the JVM is warmed with")
	f.IntVar(&j.Size, "size", 128, "bytes of a body")
	f.IntVar(&j.Queues, "queues", 4, "queues of the topic")
	f.IntVar(&j.IdleQueues, "idle-queues", 1024, "queues of the topic of the row idle")
	f.IntVar(&j.Batch, "batch", 1, "messages a handler gets at once")
	f.IntVar(&j.Pull, "pull", 32, "messages asked for in one pull")
	f.DurationVar(&j.Settle, "settle", 10*time.Second, "from the start of an idle consumer to its measurement")
	f.DurationVar(&j.Idle, "idle", time.Minute, "length of the row idle; pulls and locks repeat within a minute")
	f.StringVar(&j.Rates, "rates", "10x4s,200x3s,2000x3s", "messages a second and for how long, of the row latency")
	f.StringVar(&j.CPUProfile, "cpuprofile", "", "folder for a CPU profile of each catch-up; its figures then include the profiler")
}

// all are the knobs and what the bench sets for each job.
func (j *job) all() *flag.FlagSet {
	f := flag.NewFlagSet("job", flag.ContinueOnError)
	j.knobs(f)
	f.StringVar(&j.Do, "do", "", "")
	f.StringVar(&j.Who, "who", "", "")
	f.StringVar(&j.NameServer, "namesrv", "", "")
	f.StringVar(&j.Topic, "topic", "", "")
	f.StringVar(&j.WarmTopic, "warm-topic", "", "")
	f.StringVar(&j.Group, "group", "", "")
	f.BoolVar(&j.Orderly, "orderly", false, "")
	f.IntVar(&j.First, "first", 0, "")
	f.IntVar(&j.Rate, "rate", 0, "")
	return f
}

// args are j as name=value, one for each field.
func (j job) args() []string {
	v := j // the flags' defaults overwrite what they are bound to
	f := v.all()
	v = j
	var args []string
	f.VisitAll(func(one *flag.Flag) { args = append(args, one.Name+"="+one.Value.String()) })
	return args
}

// parseJob is the reverse of args.
func parseJob(args []string) (job, error) {
	var j job
	f := j.all()
	var errs []error
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		if err := f.Set(name, value); err != nil {
			errs = append(errs, fmt.Errorf("argument %q: %w", a, err))
		}
	}
	return j, errors.Join(errs...)
}

// total is how many messages a process must handle.
func (j job) total() int { return j.Skip + j.Count }

// phase is a part of the row latency: messages at one rate.
type phase struct {
	rate  int // messages a second
	count int
}

// phases reads Rates, as in 10x4s,200x3s.
func (j job) phases() ([]phase, error) {
	var list []phase
	for one := range strings.SplitSeq(j.Rates, ",") {
		rate, length, ok := strings.Cut(one, "x")
		perSecond, err := strconv.Atoi(rate)
		long, err2 := time.ParseDuration(length)
		p := phase{rate: perSecond, count: int(long.Seconds() * float64(perSecond))}
		if !ok || err != nil || err2 != nil || p.rate < 1 || p.count < 1 {
			return nil, fmt.Errorf("-rates has %q: write messages a second and how long, as in 200x3s", one)
		}
		list = append(list, p)
	}
	return list, nil
}

// report is what a process found out; what it did not measure is zero.
type report struct {
	Event     string  // open, ready or done
	Measured  int     // messages
	Seconds   float64 // from the first measured message to the last
	CPU       float64 // ns per measured message, user and system, of the whole process
	Objects   float64 // allocated per message; Go only
	Bytes     float64 // allocated per message, bodies included; Go only
	StartMs   float64 // from the start of the consumer to its first message
	Idle      float64 // per cent of a core
	LateMs    float64 // by how much a producer was behind its plan at most
	Latencies []int64 // ns from before the store to the handler, in the order of sending
	Name      string  // address of a name server
}

// PerSecond is the rate of a catch-up.
func (r report) PerSecond() float64 { return float64(r.Measured) / r.Seconds }

// say writes r as one line.
func say(event string, r report) error {
	r.Event = event
	return json.NewEncoder(os.Stdout).Encode(r)
}

func contestants() []string { return []string{"mqscope", "client-go", "java"} }
