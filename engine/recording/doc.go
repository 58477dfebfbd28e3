// Package recording has the file format of recordings (.mqrec): a Writer that never makes the
// engine wait, a Reader that can begin anywhere, and a Box that keeps the last so many bytes.
//
// The container does not know what it holds. A record is a kind, a time and bytes; some are
// marked as checkpoints, where a reader can begin. A Writer owns its file and writes it on its
// own goroutine (Run); whoever has a Reader owns that, alone. There is no Java counterpart. What
// records mean, and what of secrets and bodies may be in them, is left to who appends them.
//
// # What is safe when
//
// Append copies into a queue in memory. What is queued is in the file within FlushEvery, in
// whole blocks: a process that is killed loses no more than that, and its file opens to its last
// whole block. Close flushes, writes the index and waits for the disk (fsync); before that, a
// computer that loses power may lose whatever its system had not written. When the queue is full
// or the disk fails the recording ends: once, with an error, at the last whole block.
//
// Files are for their owner only (0600), and no symbolic link is followed to write one. A Reader
// sees a file as it was when it was opened, also one that is still written.
//
// # Layout
//
// All numbers are little endian; times are nanoseconds since 1970 UTC, signed; CRC is CRC-32C
// (Castagnoli); "zero" is for later and must be zero. A file is a header, blocks without anything
// between them, and, when it was closed, an index, a copy of the header and a trailer that ends it.
//
//	header                      20 bytes and the body
//	 0  8  magic                "MQREC" 0D 0A 1A
//	 8  2  format version       1
//	10  2  zero
//	12  4  length of the body   at most 262144
//	16  4  CRC                  of bytes 0 to 15 and the body
//	20     body
//
// These 20 bytes stay as they are in later versions. The body is pairs of strings, each
//
//	0  2  length of the name
//	2  4  length of the value
//	6     name, value
//
// with names ascending and none twice: "program" (that wrote it, and its version), "created" (a
// time in decimal digits), "first" (number of the first record, decimal), "source", "cluster",
// "group", "bodies" and "secrets" (what is kept of them, in words), and "meta." with anything
// behind it. An absent name is an empty value or 0; an unknown one is passed over. The file's id
// is the first 8 bytes of the SHA-256 of the whole header.
//
//	block                       128 bytes and the stored bytes
//	  0  8  mark                F7 "MQBLK" 0D 0A
//	  8  8  id of the file
//	 16  8  number of its first record
//	 24  4  how many records    at least 1
//	 28  1  codec               0 as they are, 1 one zstd frame
//	 29  1  flags               1: its first record is a checkpoint; 2: time ran back in it
//	 30  2  zero
//	 32  4  stored length       at least 1, at most the raw length
//	 36  4  raw length          at most 5242880
//	 40  8  time of its first record
//	 48  8  time of its last record
//	 56  8  latest time of all records of the file up to its end
//	 64  8  where the last block before this one begins that has flag 1; 0: there is none
//	 72 32  chain               hash of the records of the file up to its end, see below
//	104  4  CRC                 of the stored bytes
//	108 16  zero
//	124  4  CRC                 of bytes 0 to 123
//	128     stored bytes
//
// Records count on from block to block; a block that begins with a later number than expected
// says that records are missing. A checkpoint is always the first record of its block. Flag 2
// means that a record has an earlier time than the latest one before it in the file.
//
// The raw bytes are records without anything between them, each
//
//	0  1  flags                1: a checkpoint
//	1  2  kind
//	3     time                 zigzag varint: what to add (modulo 2^64) to the time of the record
//	                           before it in the block, or to the block's first time
//	      length of the payload, unsigned varint
//	      payload
//
// The chain goes by spans. A span begins with the first record of the file, with each checkpoint
// and with each record whose number is a multiple of 4096; those are always the first of their
// block. The hash of a span is the SHA-256 of the hash of the span before it (32 zero bytes if
// there is none) and, for each of its records, of flags (1), kind (2), time (8), length of the
// payload (4) and the payload. The chain of a block is the hash of its span up to its end. So it
// does not depend on how records were put into blocks, nor on the header.
//
//	index                       28 bytes and 8 for each entry
//	 0  8  mark                 F7 "MQIDX" 0D 0A
//	 8  8  id of the file
//	16  4  entries              at most 65536
//	20  4  zero
//	24  8… where a block begins, ascending; the first block is there unless there is none, others
//	       may be left out
//	    4  CRC                  of all of it before this
//
//	copy of the header          all bytes of it, for where the header is damaged; recordings of before
//	                            have none
//
//	trailer                     84 bytes, the last of the file
//	 0  8  mark                 F7 "MQEND" 0D 0A
//	 8  8  id of the file
//	16  8  where the index begins
//	24  8  where the last block begins, 0: there is none
//	32  8  number that the next record would have had
//	40  2  why the recording ended: 1 closed, 2 could not keep up, 3 disk full, 4 disk failed,
//	       5 a record was too large, 6 a fault of the program
//	42  6  zero
//	48 32  chain of the last block
//	80  4  CRC                  of bytes 0 to 79
//
// The index and the trailer are hints. Each block is checked by its own CRCs, so a reader that
// finds them missing or wrong goes from block to block, and behind damage to the next mark with a
// valid block header of the same id.
package recording
