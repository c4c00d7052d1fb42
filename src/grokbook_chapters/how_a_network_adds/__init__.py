"""Chapter 02a: how a network adds modulo p, by angles: built by hand, counted, and read off trained
networks."""

from grokbook_chapters.how_a_network_adds.runs import plan as plan
