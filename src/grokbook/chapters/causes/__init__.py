"""Chapter 19: interventions on quantities that explanations of grokking name."""
