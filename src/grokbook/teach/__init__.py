"""What a lecturer takes from the book: slides and handouts, the exercises as notebooks with a key, the book on paper."""
