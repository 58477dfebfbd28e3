// Command peers measures this engine beside Apache's Go client on the same topic, in one run.
//
// One process is the embedded broker, filled once; then each contestant drains the whole
// topic in a process of its own, in turns A B B A A B …, and the table at the end shows
// medians, the range and the ratio. Only what is measured in one run may be compared.
//
// It is a module of its own so that Apache's client stays out of the product's modules.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// settings are the knobs; a child process gets them all.
type settings struct {
	Role        string // of this process: bench, or one of roles
	Group       string
	NameServer  string
	Topic       string
	Messages    int
	Warm        int // of them are drained before the measurement begins
	Size        int // of a body in bytes
	Queues      int
	Rounds      int
	Batch       int  // messages a handler gets at once
	Pull        int  // messages asked for in one pull
	Pin         bool // broker on core 0, client on core 1
	Raw         bool // print each run's result as JSON
	CPUProfile  string
	Contestants string
}

// roles are what a child process can be. Each writes one line of JSON when it is done, the
// broker when it is ready.
func roles() map[string]func(ctx context.Context, s settings) (any, error) {
	return map[string]func(context.Context, settings) (any, error){
		"broker": runBroker, "fill": runFill, "mqscope": runOurs, "client-go": runClientGo,
	}
}

func main() {
	var s settings
	flag.StringVar(&s.Role, "role", "bench", "bench, or what a child process is")
	flag.StringVar(&s.Group, "group", "", "consumer group of a child process")
	flag.StringVar(&s.NameServer, "namesrv", "", "a real cluster's name server, instead of the embedded broker")
	flag.StringVar(&s.Topic, "topic", "peers", "topic; it is filled first, so with -namesrv take a new one each time")
	flag.IntVar(&s.Messages, "n", 400_000, "messages")
	flag.IntVar(&s.Warm, "warm", 0, "messages drained before the measurement begins")
	flag.IntVar(&s.Size, "size", 128, "bytes of a body, at least 8")
	flag.IntVar(&s.Queues, "queues", 4, "queues of the topic")
	flag.IntVar(&s.Rounds, "rounds", 5, "drains of each contestant")
	flag.IntVar(&s.Batch, "batch", 1, "messages a handler gets at once")
	flag.IntVar(&s.Pull, "pull", 32, "messages asked for in one pull")
	flag.BoolVar(&s.Pin, "pin", false, "broker on core 0, client on core 1 (Linux, taskset)")
	flag.BoolVar(&s.Raw, "raw", false, "print each run's result as JSON, too")
	flag.StringVar(&s.CPUProfile, "cpuprofile", "", "folder for a CPU profile of each drain; its figures then include the profiler")
	flag.StringVar(&s.Contestants, "contestants", "mqscope,client-go", "who takes part")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	if s.Role == "bench" {
		return bench(ctx, s)
	}
	role, ok := roles()[s.Role]
	if !ok {
		return fmt.Errorf("role %q is unknown", s.Role)
	}
	result, err := role(ctx, s)
	if err != nil || result == nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
