"""What a lecturer takes from the book: slides, exercises as notebooks with a key, the
book on paper."""
