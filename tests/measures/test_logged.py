"""What a training run logs is in the registry, in its order."""

from __future__ import annotations

import numpy as np

from grokbook.measures import registry
from grokbook.measures.logged import embedding_measures


def test_the_logged_measures_are_the_registry_entries_on_embeddings():
    logged = embedding_measures(np.random.default_rng(0).normal(size=(7, 3)))
    assert list(logged) == [name for name, m in registry().items() if m.of == "embedding"]
    assert all(type(value) is float and np.isfinite(value) for value in logged.values())
