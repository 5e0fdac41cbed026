"""How kernels are compiled: by numba, once for each machine, kept on disk where there is a place for it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba

_complained = False


def kernel(function_or_signature: Callable[..., Any] | str | None = None) -> Any:
    """Compile a function with numba, without the GIL; cached on disk, or else anew in every process, with a warning.

    Use it plain, `@kernel`, or with a numba signature, `@kernel("i8(i8)")`.
    """
    if function_or_signature is None or isinstance(function_or_signature, str):
        return lambda function: _compile(function, function_or_signature)
    return _compile(function_or_signature, None)


def borrowing(function: Callable[..., Any]) -> Any:
    """A kernel that makes no arrays: its arguments are borrowed, not counted.

    Counting references to a tuple of twenty arrays costs 150 ns at each call from kernel to kernel; this way it is 1 ns.
    """
    return _compile(function, None, _nrt=False)


def _compile(function: Callable[..., Any], signature: str | None, **more: Any) -> Any:
    global _complained  # noqa: PLW0603 (one warning a process is enough)
    try:
        return numba.njit(signature, cache=True, nogil=True, **more)(function)
    except RuntimeError as error:  # numba found no directory that it may write to
        if not _complained:
            _complained = True
            warnings.warn(f"kernels are compiled anew in every process: {error}", RuntimeWarning, stacklevel=3)
        return numba.njit(signature, nogil=True, **more)(function)
