"""Settings of every test: property tests have no deadline (no test asserts a time) and are alike in each run."""

from hypothesis import settings

settings.register_profile("grokbook", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("grokbook")
