"""Chapter 07: whether a network pulls the classes apart (`notions`, `networks`), and what more layers do (`depth`)."""

from grokbook.chapters.separability_and_depth.networks import plan

__all__ = ["plan"]
