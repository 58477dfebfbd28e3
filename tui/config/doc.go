// Package config turns flags, MQSCOPE_* variables and the configuration file into the values
// that a command runs with; nothing else reads them.
//
// Precedence: flag, environment, file, default. The flags are the schema: a key of the file
// has the name of a flag, a variable is MQSCOPE_ and that name in upper case with _ for -,
// and each value goes through the flag's own check. It owns nothing after Load. It has no
// Java counterpart.
package config
