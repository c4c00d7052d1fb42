"""Checks: what is wrong with the built site; what moved between two builds."""
