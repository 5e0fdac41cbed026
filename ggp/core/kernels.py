"""How kernels are compiled: by numba, once for each machine, kept on disk where there is a place for it.

A kernel contains the kernels that it calls and the constants that it names, also those of other modules. Numba keeps it
for as long as the file that it is written in stays the same, and would go on using machine code made of older sources
of all the rest. So what is kept here holds for the contents of that source and of all in its folder that it imports, and
they in turn; and kernels call and name only what their own folder has (a test looks at that).
"""

from __future__ import annotations

import hashlib
import inspect
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
from numba.core.typeinfer import register_dispatcher

import gdl.grounding.noblas  # noqa: F401 (before the first kernel)

F = TypeVar("F", bound=Callable[..., Any])
_complained = False


@overload
def kernel(function_or_signature: F) -> F: ...
@overload
def kernel(function_or_signature: str | None = None) -> Callable[[F], F]: ...
def kernel(function_or_signature: F | str | None = None) -> F | Callable[[F], F]:
    """Compile a function with numba, without the GIL; cached on disk, or else anew in every process, with a warning.

    Use it plain, `@kernel`, or with a numba signature, `@kernel("i8(i8)")`: then it is compiled at once.
    """
    if function_or_signature is None or isinstance(function_or_signature, str):
        return lambda function: _compile(function, function_or_signature)
    return _compile(function_or_signature, None)


def borrowing(function: F) -> F:
    """A kernel that makes no arrays: its arguments are borrowed, not counted.

    Counting references to a tuple of twenty arrays costs 150 ns at each call from kernel to kernel; this way it is 1 ns.
    Without being told not to, numba would inline a kernel that happens to be compiled for one that is to be inlined.
    """
    return _compile(function, None, _nrt=False, forceinline=False)


def inlined(function: F) -> F:
    """A `borrowing` kernel that becomes part of each that calls it, so that a cut made for readers costs nothing.

    Twenty arrays are more than a hundred arguments: where numba does not inline by itself, searches lost a fifth by this.
    """
    return _compile(function, None, _nrt=False, forceinline=True)


def bound(compiled: F, *examples: object) -> F:
    """The machine code of a kernel for arguments of the same types as these, which are not looked at again.

    To find out the types of tens of arrays takes numba several microseconds at each call. Whoever calls must take care:
    arguments of other types would be read as what they are not.
    """
    if not hasattr(compiled, "overloads"):  # numba was told by its environment not to compile
        return compiled
    dispatcher: Any = compiled
    types = tuple(map(numba.typeof, examples))
    dispatcher.compile(types)
    return cast(F, dispatcher.overloads[types].entry_point)


def _compile(function: F, signature: str | None, **more: Any) -> F:
    global _complained  # noqa: PLW0603 (one warning a process is enough)
    try:
        compiled: Any = numba.njit(cache=True, nogil=True, **more)(function)
    except RuntimeError as error:  # numba found no directory that it may write to
        if not _complained:
            _complained = True
            warnings.warn(f"kernels are compiled anew in every process: {error}", RuntimeWarning, stacklevel=3)
        return cast(F, numba.njit(signature, nogil=True, **more)(function))
    if compiled is function:  # numba was told by its environment not to compile
        return function
    compiled._cache._cache_file._source_stamp = sources(Path(inspect.getfile(function)))
    if signature is not None:  # only now, as this looks into the cache
        with register_dispatcher(compiled):
            compiled.compile(signature)
        compiled.disable_compile()
    return cast(F, compiled)


@lru_cache
def sources(path: Path) -> str:
    """A digest of a Python source and of those in its folder that it imports, and they in turn."""
    found, waiting = {path}, [path]
    while waiting:
        for other in _source(waiting.pop())[1] - found:
            found.add(other)
            waiting.append(other)
    return hashlib.sha256("\n".join(f"{other.name} {_source(other)[0]}" for other in sorted(found)).encode()).hexdigest()


_IMPORT = re.compile(r"^\s*(?:from +([\w.]+) +)?import +(.*)", re.MULTILINE)


@lru_cache
def _source(path: Path) -> tuple[str, frozenset[Path]]:
    """The digest of one source, and what it imports from its folder."""
    text, folder = path.read_bytes(), path.parent
    modules: list[str] = []
    for module, names in _IMPORT.findall(text.decode()):
        words = [name.split()[0] for name in names.split(",") if name.strip()]
        if module and module.rpartition(".")[2] in ("", folder.name):  # modules of the folder, or names of its __init__
            modules += [f"{folder.name}.{word}" for word in words]
        else:
            modules += [module] if module else words
    places = [module.rsplit(".", 2)[-2:] for module in modules if "." in module]
    beside = {folder / f"{name}.py" for package, name in places if package in ("", folder.name)}
    if not all(other.is_file() for other in beside):
        beside = set(folder.glob("*.py"))
    return hashlib.sha256(text).hexdigest(), frozenset(beside)
