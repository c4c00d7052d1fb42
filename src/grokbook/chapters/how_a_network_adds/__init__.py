"""Chapter 02a: how a network adds modulo p."""
