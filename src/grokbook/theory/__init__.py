"""Mathematics that needs no training."""
