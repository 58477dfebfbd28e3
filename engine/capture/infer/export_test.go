package infer

// Kept is how many pulls wait for their answers.
func (n *Inferer) Kept() int { return len(n.asks) }
