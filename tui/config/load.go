package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// EnvPrefix starts the name of every variable that is read.
const EnvPrefix = "MQSCOPE"

// KeysSection is the file's map of action to keys; it is no flag.
const KeysSection = "keys"

// Loaded is what the file said beside flags, and where it was.
type Loaded struct {
	File string              // path that was read, empty when there was none
	Keys map[string][]string // action id to keys
}

// Load fills every flag of set that was not given on the command line from the environment or
// the file. path names the file and must exist then; empty means config.yaml in the
// per-user folder, if it is there. known has the names of all flags of all commands: a key of
// the file that is none of them is an error. Errors name the variable, or file, line, key
// and remedy.
func Load(set *pflag.FlagSet, path string, known []string) (Loaded, error) {
	v := viper.New()
	v.SetEnvPrefix(EnvPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	loaded, lines, err := readFile(v, path)
	if err != nil {
		return loaded, err
	}
	if err := lines.check(known); err != nil {
		return loaded, err
	}
	if loaded.Keys, err = lines.keys(); err != nil {
		return loaded, err
	}
	var faults []error
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Changed && v.IsSet(f.Name) && f.Name != "help" && f.Name != "config" {
			faults = append(faults, apply(f, v, lines))
		}
	})
	return loaded, errors.Join(faults...)
}

// apply sets one flag from wherever viper found it. A text of the file is taken as it stands
// there: no reader turns it into a number and back.
func apply(f *pflag.Flag, v *viper.Viper, lines *fileLines) error {
	env := EnvPrefix + "_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
	fromEnv := os.Getenv(env)
	list, isList := f.Value.(*listValue)
	var values []string
	switch {
	case fromEnv != "" && isList:
		values = strings.Split(fromEnv, ",")
	case fromEnv != "":
		values = []string{v.GetString(f.Name)}
	default:
		var err error
		if values, err = lines.values(f.Name, isList); err != nil {
			return err
		}
	}
	if isList {
		*list.p = nil
	}
	for _, value := range values {
		if err := f.Value.Set(value); err != nil {
			if fromEnv != "" {
				return fmt.Errorf("%s=%q: %w", env, value, err)
			}
			return lines.fault(f.Name, value, err)
		}
	}
	return nil
}

// UserFile is the path of a file in the per-user folder, whether it is there or not.
func UserFile(name string) (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "mqscope", name), err
}

// CacheFolder makes a folder below the per-user one for what may be lost, if it is not there yet.
// Only its owner may look into it.
func CacheFolder(name string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "mqscope", name)
	return dir, os.MkdirAll(dir, 0o700)
}

func readFile(v *viper.Viper, path string) (Loaded, *fileLines, error) {
	must := path != ""
	if !must {
		var err error
		if path, err = UserFile("config.yaml"); err != nil {
			return Loaded{}, &fileLines{}, nil
		}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return Loaded{}, &fileLines{}, nil
	}
	if err != nil {
		return Loaded{}, &fileLines{}, fmt.Errorf("--config %q: %w: name a file that can be read", path, err)
	}
	lines, err := parseLines(path, text)
	if err != nil {
		return Loaded{}, &fileLines{}, err
	}
	v.SetConfigType("yaml")
	if err := v.ReadConfig(strings.NewReader(string(text))); err != nil {
		return Loaded{}, &fileLines{}, fmt.Errorf("%s: %w: write it as YAML, one key a line", path, err)
	}
	return Loaded{File: path}, lines, nil
}
