package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"mqscope/engine/apachetest"
)

// java is how to run Apache's Java client: java/Peer.java, compiled into a folder that is
// gone after the run.
type java struct {
	folder string
	jars   string // of Apache's client and of the programs around it
}

// openJava fetches the jars if they are missing, and compiles.
func openJava(ctx context.Context) (*java, error) {
	jars, err := apachetest.Jars(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mqscope-peers-")
	if err != nil {
		return nil, err
	}
	v := &java{folder: folder, jars: jars}
	out, err := exec.CommandContext(ctx, tool("javac"), "-cp", v.classPath(), "-d", folder, filepath.Join("java", "Peer.java")).CombinedOutput()
	if err != nil {
		v.close()
		return nil, fmt.Errorf("javac java/Peer.java: %w\n%sRun this in testdata/peers, with a JDK 17 or newer", err, out)
	}
	return v, nil
}

func (v *java) close() { _ = os.RemoveAll(v.folder) }

func (v *java) classPath() string {
	sep := string(os.PathListSeparator)
	return v.folder + sep + filepath.Join(v.jars, "classes") + sep + filepath.Join(v.jars, "lib", "*")
}

// command runs Peer with a heap of fixed size. The client is at its defaults but for its log,
// which gets warnings only and lies in the folder.
func (v *java) command(j job) []string {
	return append([]string{
		tool("java"), "-Xms512m", "-Xmx512m", "-cp", v.classPath(),
		"-Drmq.logback.configurationFile=" + filepath.Join("..", "apache", "logback.xml"),
		"-Dmqscope.log=" + filepath.Join(v.folder, "client.log"), "-Dmqscope.log.level=WARN",
		"-Duser.home=" + v.folder, "mqscope.apache.Peer",
	}, j.args()...)
}

// tool is a program of the JDK.
func tool(name string) string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin", name)
	}
	return name
}
