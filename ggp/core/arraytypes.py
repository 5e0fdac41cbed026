"""Types of arrays and numbers, by the letters that kernels and their callers use.

Numba looks at the values themselves and never at these: they are for readers and for mypy.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Signs: TypeAlias = NDArray[np.int8]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Singles: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Int: TypeAlias = int | np.integer
"""A number in a kernel: there Python's and numpy's are one."""
Row = TypeVar("Row", Ints, Longs, NDArray[np.number])
"""An array of numbers of some kind."""
