"""What a lecturer takes from the book: slides, handouts, exercises as notebooks with a key, the
book on paper."""
