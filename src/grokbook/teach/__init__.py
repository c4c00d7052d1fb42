"""What a lecturer takes from the built book: slides and handouts of a chapter, the book on paper."""
