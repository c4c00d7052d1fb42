"""Chapter 19: interventions on every quantity that an explanation of grokking names."""
