"""Numba without BLAS: to be imported before the first kernel, by whoever has some.

As soon as it makes or loads a kernel, numba looks for SciPy's products of matrices. No kernel here has any; and where
SciPy is installed for something else, looking costs each process a sixth of a second.
"""

from __future__ import annotations

import sys

_BLAS = "scipy.linalg.cython_blas"
_modules: dict[str, object] = sys.modules  # type: ignore[assignment]
"""None among them stands for a module that cannot be imported."""

if _BLAS not in _modules:
    _modules[_BLAS] = None
    try:
        import numba.np.arraymath  # noqa: F401 (this is what looks, once)
    finally:
        del _modules[_BLAS]
