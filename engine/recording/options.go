package recording

import (
	"errors"
	"time"

	"mqscope/engine/clock"
)

// Options is how a recording is written; zero fields mean their defaults.
type Options struct {
	BlockBytes   int           // of records in a block: 4 KiB to 1 MiB, default 128 KiB
	QueueBytes   int           // of records that wait to be written: from MaxPayload on, default 16 MiB
	FlushEvery   time.Duration // how old a record gets outside the file, default 1 s
	Uncompressed bool
	Replace      bool        // what is at the path already, if that is a regular file
	FS           FS          // default Disk
	Clock        clock.Clock // default clock.System
	// Ended is called once, on a goroutine of Run, when the recording ends by itself.
	Ended func(error)
}

func (o Options) filled() (Options, error) {
	if o.BlockBytes == 0 {
		o.BlockBytes = 128 << 10
	}
	if o.QueueBytes == 0 {
		o.QueueBytes = 16 << 20
	}
	if o.FlushEvery == 0 {
		o.FlushEvery = time.Second
	}
	if o.FS == nil {
		o.FS = Disk{}
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	var faults []error
	if o.BlockBytes < 4<<10 || o.BlockBytes > 1<<20 {
		faults = append(faults, errors.New("block size: 4 KiB to 1 MiB"))
	}
	if o.QueueBytes < MaxPayload+prefixLen {
		faults = append(faults, errors.New("queue: at least the largest record"))
	}
	if o.FlushEvery < 0 {
		faults = append(faults, errors.New("flush interval: not negative"))
	}
	return o, errors.Join(faults...)
}
