package remoting

// Bits of Command.Flag (RemotingCommand.RPC_TYPE, RPC_ONEWAY).
const (
	flagResponse = 1 << 0
	flagOneWay   = 1 << 1
)

// Command is one request or response. Java: RemotingCommand.
type Command struct {
	// Code is a request or a response code. A binary header carries 16 bits of it.
	Code int32
	// Version is the sender's release as MQVersion counts them; 16 bits in a binary header.
	Version int32
	// Opaque ties a response to its request. Clients and peers set it on their own.
	Opaque int32
	// Flag has bit 0 set on a response and bit 1 on a request that wants none.
	Flag int32
	// Language is what the sender is written in.
	Language Language
	// Serialize is the encoding of the header of this frame.
	Serialize SerializeType
	// Remark is text for people, mostly about a failure. Empty and absent are the same.
	Remark string
	// Fields are the header fields of the request or response (extFields). Nil and empty
	// differ in a JSON header only, and mean the same.
	Fields Fields
	// Body is what follows the header. After decoding it aliases the frame.
	Body []byte
}

// IsResponse reports whether the command answers a request; look here before at Opaque,
// because the numbers of both directions overlap.
func (c *Command) IsResponse() bool { return c.Flag&flagResponse != 0 }

// IsOneWay reports whether the command is a request that must not be answered.
func (c *Command) IsOneWay() bool { return c.Flag&flagOneWay != 0 && !c.IsResponse() }

// Field is one header field. It is an alias so that other packages can name the same type
// without importing this one.
type Field = struct{ Key, Value string }

// Fields are header fields in the order of the wire.
type Fields []Field

// Get returns the value of key; of several the last one counts, as in a Java map.
func (f Fields) Get(key string) (string, bool) {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].Key == key {
			return f[i].Value, true
		}
	}
	return "", false
}

// Set gives key the value, in its old place if it has one.
func (f *Fields) Set(key, value string) {
	for i := len(*f) - 1; i >= 0; i-- {
		if (*f)[i].Key == key {
			(*f)[i].Value = value
			return
		}
	}
	*f = append(*f, Field{key, value})
}

// without returns f less all entries of key: what a later null does to a Java map's entry.
func (f Fields) without(key string) Fields {
	kept := f[:0]
	for _, e := range f {
		if e.Key != key {
			kept = append(kept, e)
		}
	}
	return kept
}
