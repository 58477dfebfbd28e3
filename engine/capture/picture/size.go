package picture

import "unsafe"

// Size is about how many bytes of memory m takes.
func (m *Memory) Size() int {
	const entrySize, changeSize, name = 256, 160, 96
	n := len(m.groups)*1024 + m.detailed*int(unsafe.Sizeof(detail{})+unsafe.Sizeof(queue{})+2048) +
		m.series*int(unsafe.Sizeof(series{})+2048)
	return n + m.entries*entrySize + m.changes*changeSize + (len(m.servers)+len(m.conns)+len(m.unnamed))*name
}
