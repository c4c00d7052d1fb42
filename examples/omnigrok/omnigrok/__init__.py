"""The chapters of the companion, a module each, named as its notebook without the number."""
