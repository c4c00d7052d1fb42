"""Appendix to chapter 03: two norms, Toeplitz starts, and the predecessor's family of maps."""
