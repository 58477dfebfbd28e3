// Package themes turns meaning into escape sequences: a view says "warn", a theme says how
// that looks here.
//
// It owns the palettes (embedded YAML files), the order in which a theme is chosen, the
// degradation of colours to what a terminal can show and the sets of drawing signs. It runs
// nothing and reads no environment: what the terminal and the user said comes in as
// arguments. It has no Java counterpart. It knows no screens; where a token is used is left
// to package views.
package themes
