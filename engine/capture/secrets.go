package capture

import (
	"strings"

	"mqscope/engine/remoting"
)

// takeSecrets takes out of a command what signs it, so that nothing made of it can have that.
// It returns the access key, which servers like to put into their remarks.
func takeSecrets(cmd *remoting.Command) (accessKey string) {
	secret := 0
	for i := range cmd.Fields {
		if isSecret(cmd.Fields[i].Key) {
			secret++
		}
	}
	if secret == 0 {
		return ""
	}
	kept := make(remoting.Fields, 0, len(cmd.Fields)-secret)
	for _, f := range cmd.Fields {
		switch {
		case !isSecret(f.Key):
			kept = append(kept, f)
		case f.Key == "AccessKey":
			accessKey = f.Value
		}
	}
	cmd.Fields = kept
	return accessKey
}

// isSecret knows the header fields that ACL adds (SessionCredentials).
func isSecret(key string) bool {
	switch key {
	case "AccessKey", "SecretKey", "Signature", "SecurityToken":
		return true
	}
	return false
}

// hide takes a secret out of text.
func hide(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, "(access key)")
}
