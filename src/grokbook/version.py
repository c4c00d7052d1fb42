"""The version of the library: one number, that `pyproject.toml` and CITATION.cff have too."""

__version__ = "0.2.0"
