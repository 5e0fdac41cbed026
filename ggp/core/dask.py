"""Dask clusters, which are met at the address of their scheduler. Dask is optional, slow to import, and without types."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ggp.core.errors import UsageError

MISSING = "a cluster needs Dask, which is not installed: pip install 'ggp[lab]'"


def distributed() -> Any:
    """The module; UsageError tells how it is installed."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(MISSING)
    return importlib.import_module("distributed")
