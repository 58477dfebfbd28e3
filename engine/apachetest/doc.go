// Package apachetest gives tests a real Apache RocketMQ: one name server and one broker in
// processes of their own, and Apache's producer, push consumer and admin tools beside them.
//
// It owns those processes and the temporary folder they write to. The programs, their
// versions and the script that starts them are in testdata/apache. It takes only the
// standard library, so that any package's tests can use it; what it says to the servers
// itself goes through a few lines of its own (wire.go), never through the code under test.
//
// # When the tests run
//
//	nothing set                 if testdata/apache/run.sh resolve was run before on this
//	                            machine; else, and with -short, they are skipped
//	MQSCOPE_APACHE=1            always; resolves first, over the network, when needed
//	MQSCOPE_APACHE=0            never
//	MQSCOPE_REQUIRE_APACHE=1    always, and whatever is missing fails them (for CI)
//
// So go test ./... passes on a machine that has Java and Maven but no network. Start alone
// decides; a skip says in one sentence what is missing and what to do.
//
// # Sharing and the end
//
// A start takes 5 to 40 s and about 1 GB of memory. A package whose TestMain goes through
// Main shares one cluster among its tests; without that, each Start has one of its own,
// ended with its test:
//
//	func TestMain(m *testing.M) { os.Exit(apachetest.Main{M: m}.Run()) }
//
// or goleak.VerifyTestMain(apachetest.Main{M: m}). The servers end with the test binary even
// if that is killed (its folder then stays in the system's temporary one): their JVM reads
// a pipe that only the test binary holds, and halts when it ends.
// MQSCOPE_APACHE_KEEP=1 leaves the folder with logs and stores in place and prints its name.
// A program that is no test has its cluster from Open.
package apachetest
