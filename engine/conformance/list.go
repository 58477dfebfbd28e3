package conformance

// Checks returns all checks in the order of the sheet.
func Checks() []Check {
	var list []Check
	for _, part := range [][]Check{routeChecks(), sendChecks(), sqlChecks(), pullChecks(), holdChecks(), offsetChecks(), groupChecks(), lockChecks(), assignmentChecks(), backChecks(), wireChecks(), adminChecks()} {
		list = append(list, part...)
	}
	return list
}
