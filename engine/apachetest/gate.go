package apachetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Environment variables that doc.go explains.
const (
	envUse     = "MQSCOPE_APACHE"
	envRequire = "MQSCOPE_REQUIRE_APACHE"
	envKeep    = "MQSCOPE_APACHE_KEEP"
)

// minJava is the oldest Java that the programs are compiled for.
const minJava = 17

// errAbsent marks what this machine or this run lacks, as against what broke.
var errAbsent = errors.New("no Apache RocketMQ for this test")

// absent returns an error that wraps errAbsent and says why.
func absent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errAbsent, fmt.Sprintf(format, args...))
}

// give ends the test with err: by a skip if something is only absent and not required.
func give(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errAbsent) && os.Getenv(envRequire) != "1" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// ready returns the script once there is a Java and the jars are resolved. Its error wraps
// errAbsent when Apache is not to be had or not wanted here.
func ready(ctx context.Context) (script string, err error) {
	use, required := os.Getenv(envUse), os.Getenv(envRequire) == "1"
	switch {
	case required:
	case use == "0":
		return "", absent("%s=0", envUse)
	case use != "1" && testing.Short():
		return "", absent("-short is set")
	}
	script, _, err = resolved(ctx, required || use == "1")
	return script, err
}

// resolved returns the script and the folder of jars and classes, which it has Maven make
// when fetch allows that.
func resolved(ctx context.Context, fetch bool) (script, dir string, err error) {
	if script, err = findScript(); err != nil {
		return "", "", err
	}
	if err := checkJava(ctx); err != nil {
		return "", "", err
	}
	out, err := exec.CommandContext(ctx, script, "dir").Output()
	if err != nil {
		return "", "", fmt.Errorf("%s dir: %w", script, err)
	}
	dir = strings.TrimSpace(string(out))
	if _, err := os.Stat(dir); err == nil {
		return script, dir, nil
	}
	if !fetch {
		return "", "", absent("the jars are not on this machine; run testdata/apache/run.sh resolve, or set %s=1", envUse)
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", "", absent("Maven is not on the PATH; install Maven 3.8 or newer")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, script, "resolve").CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("testdata/apache/run.sh resolve: %w\n%s", err, out)
	}
	return script, dir, nil
}

// findScript looks for testdata/apache/run.sh from the working directory, which is the
// package's when go test runs it, upwards.
func findScript() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		script := filepath.Join(dir, "testdata", "apache", "run.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", absent("testdata/apache/run.sh is in no folder above the package")
		}
		dir = up
	}
}

// checkJava says whether the Java that run.sh takes is new enough.
func checkJava(ctx context.Context) error {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return absent("%s is not there; install a JDK %d or newer", java, minJava)
	}
	if err != nil {
		return fmt.Errorf("%s -version: %w\n%s", java, err, out)
	}
	version, err := javaVersion(out)
	if err != nil {
		return err
	}
	if version < minJava {
		return absent("Java is %d; install a JDK %d or newer", version, minJava)
	}
	return nil
}

var versionLine = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion reads the feature number, 8 or 17, out of what java -version prints.
func javaVersion(out []byte) (int, error) {
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no version in what java -version prints: %q", bytes.TrimSpace(out))
	}
	return strconv.Atoi(string(m[1]))
}
