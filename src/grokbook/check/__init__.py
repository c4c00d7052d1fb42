"""Checks: what is wrong with a page, its exercises or the built site; what moved between two builds."""
