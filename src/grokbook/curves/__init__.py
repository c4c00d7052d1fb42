"""What recorded curves say: fit and grok steps, leads, limits, phases, comparisons of groups of
runs."""
