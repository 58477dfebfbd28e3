package tracks

import (
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
	"mqscope/engine/replay/remade"
)

// Open opens the recording at path.
func Open(path string, o replay.Options) (replay.Track, error) {
	return replay.Open(path, o, openers())
}

func openers() map[string]replay.Opener {
	return map[string]replay.Opener{
		replay.SourceEngine:  remade.Open,
		replay.SourceCapture: inferred.Open,
		replay.SourceProxy:   inferred.Open,
	}
}
