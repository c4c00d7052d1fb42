"""Datasets and tables by a label (a setting, a size, a seed): what functions of the chapters are
given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import xarray as xr

Datasets = Mapping[Any, xr.Dataset]
Tables = Mapping[Any, pd.DataFrame]
