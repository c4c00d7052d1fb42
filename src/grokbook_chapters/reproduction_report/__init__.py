"""Chapter 18, which trains nothing: what is new here, and ways to train compared."""
