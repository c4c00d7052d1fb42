"""Datasets and tables by a label (a setting, a size, a seed), and rows by the names of their
columns: what functions of the chapters take and give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import xarray as xr

Datasets = Mapping[Any, xr.Dataset]
Tables = Mapping[Any, pd.DataFrame]
Row = dict[str, Any]
