package keymap

// Fold maps a rune of a Chinese or Japanese input method to the ASCII key that was meant:
// full-width forms and the usual punctuation. Others stay as they are. Text inputs must not
// be folded.
func Fold(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		return r - 0xFF01 + '!'
	}
	switch r {
	case '、':
		return '/'
	case '。':
		return '.'
	case '《':
		return '<'
	case '》':
		return '>'
	case '【':
		return '['
	case '】':
		return ']'
	case '\u3000':
		return ' '
	}
	return r
}
