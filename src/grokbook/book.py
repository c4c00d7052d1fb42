"""The page helpers at the place that they had before version 0.2: they are in `grokbook.page`."""

import sys
from importlib import import_module

_MOVED = ("costs", "front", "interactive", "parameters", "show", "training_page")

page = sys.modules[f"{__name__}.page"] = import_module("grokbook.page")
for _name in _MOVED:
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = import_module(f"grokbook.page.{_name}")
