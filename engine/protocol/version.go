// Contract: the version numbers that commands carry: ordinals of a Java enum in which each
// release stands behind its SNAPSHOT. From 4.0.0 on they follow a formula.

package protocol

import (
	"strconv"
	"strings"
)

// Version numbers that something depends on (Java: MQVersion).
const (
	// ClientVersion is what this engine says it is: V5_3_1, new enough for standard JSON
	// routes and every admin call, old enough never to be sent GO_AWAY.
	ClientVersion int32 = 475
	// VersionStandardJSON: senders from here on get routes as standard JSON (V4_9_4).
	VersionStandardJSON int32 = 401
	// VersionClientReset: below it a consumer is not told to reset offsets
	// (V3_0_7_SNAPSHOT).
	VersionClientReset int32 = 28
	// VersionRunningInfo: below it a consumer is not asked for its running info.
	VersionRunningInfo int32 = 62
	// VersionMaxReconsumeTimes: from here on brokers heed maxReconsumeTimes (V3_4_9).
	VersionMaxReconsumeTimes int32 = 121
	// VersionSQLFilter: clients filter by SQL92 only with brokers from here on
	// (V4_1_0_SNAPSHOT).
	VersionSQLFilter int32 = 232

	version4      = 213 // V4_0_0
	versionHigher = 612
)

// VersionName returns the Java name of a version number, such as "V5_3_1". Like Java it
// calls what is beyond the table "HIGHER_VERSION"; negative numbers are shown as they are.
func VersionName(v int32) string {
	switch {
	case v < 0:
		return strconv.Itoa(int(v))
	case v >= versionHigher:
		return "HIGHER_VERSION"
	case v < version4-1:
		return version3Name(v)
	}
	release, suffix := v, ""
	if (v-version4)%2 != 0 {
		release, suffix = v+1, "_SNAPSHOT"
	}
	n := (release - version4) / 2
	return "V" + strconv.Itoa(int(4+n/100)) + "_" + strconv.Itoa(int(n/10%10)) + "_" + strconv.Itoa(int(n%10)) + suffix
}

// version3Name names the numbers below 4.0.0, which grew without one formula.
func version3Name(v int32) string {
	const (
		first301 = 16 // V3_0_1_SNAPSHOT; before it the steps to 3.0.0
		first310 = 46
		first320 = 66
		first331 = 86 // from here on minors count their patches from 1 to 9
	)
	suffix := ""
	if v%2 == 0 {
		suffix = "_SNAPSHOT"
	}
	name := func(minor, patch int32) string {
		return "V3_" + strconv.Itoa(int(minor)) + "_" + strconv.Itoa(int(patch)) + suffix
	}
	switch {
	case v < first301:
		steps := strings.Fields("SNAPSHOT ALPHA1 BETA1 BETA2 BETA3 BETA4 BETA5 BETA6_SNAPSHOT BETA6 " +
			"BETA7_SNAPSHOT BETA7 BETA8_SNAPSHOT BETA8 BETA9_SNAPSHOT BETA9 FINAL")
		return "V3_0_0_" + steps[v]
	case v < first310:
		return name(0, (v-first301)/2+1)
	case v < first320:
		return name(1, (v-first310)/2)
	case v < first331:
		return name(2, (v-first320)/2)
	}
	return name(3+(v-first331)/18, (v-first331)%18/2+1)
}
