// Package remoting speaks RocketMQ's remoting protocol: frames on a byte stream, the Command
// in them with its two header encodings, and calls over connections in both directions.
//
// It is for whoever talks to name servers and brokers (Client) or plays one (Server). A
// Client owns its connections, one per address, each with a reader, a writer and a
// timekeeper; Client.Run and Server.Serve own all goroutines and return when they have
// ended. Nothing that queues a request waits: not for a dial, not for a write.
//
// A frame is 4 bytes of length, 4 bytes of header type and length, the header, the body.
// Each frame says its own header type. Bytes from outside are checked against Limits before
// anything is allocated for them; a bad frame ends its connection with a *ProtocolError.
//
// Java counterparts: RemotingCommand, RocketMQSerializable, NettyRemotingClient,
// NettyRemotingServer. What codes, fields and bodies mean is left to package protocol, and
// which address to ask and what to try again to package client.
package remoting
