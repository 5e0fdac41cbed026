"""Arrays of records: a class names the fields and their types, for numpy, for numba and for whoever reads it.

A kernel that says `g.node[x].state` compiles to the same load as one that reads a column of a plain array.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, TypeAlias, TypeVar, cast, get_type_hints, overload

import numpy as np
from numpy.typing import NDArray

Int32: TypeAlias = Annotated[int, np.int32]
Int64: TypeAlias = Annotated[int, np.int64]
Float: TypeAlias = Annotated[float, np.float64]
Bool: TypeAlias = Annotated[bool, np.bool_]

R = TypeVar("R", bound="Record")
if TYPE_CHECKING:  # to which np.void is final

    class _Void:
        def __setitem__(self, name: str, value: Any) -> None: ...
else:
    _Void = np.void


class Record(_Void):
    """One of an array of records. Those of a kind are a class that names each field, and annotates it with its type.

    >>> class Point(Record):
    ...     x: Int32
    ...     y: Float
    >>> Point.kind.itemsize
    16
    >>> points = zeros(Point, 2)
    >>> points[1].x = 5
    >>> int(points[1].x), points["x"].tolist()
    (5, [0, 5])
    """

    kind: ClassVar[np.dtype[Any]]
    """The numpy type, laid out as in C. All arrays must have this one object for a type: where two are equal but not the
    same, numba compares them field by field whenever a kernel is called, which takes a microsecond for each array."""

    def __init_subclass__(cls) -> None:
        hints, names = get_type_hints(cls, include_extras=True), list(cls.__annotations__)
        fields = np.dtype([(name, hints[name].__metadata__[0]) for name in names], align=True)
        cls.kind = np.dtype((cls, fields))
        for name in names:
            setattr(cls, name, _field(name))


def _field(name: str) -> property:
    """An attribute that is a field: eight times as fast as those of `np.record`."""

    def assign(record: Record, value: Any) -> None:
        record[name] = value

    return property(itemgetter(name), assign)


class Records(Protocol[R]):
    """What an array of records can do: `records[i]` is one of them, `records["field"]` that field of all."""

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, at: slice | list[int] | NDArray[Any]) -> NDArray[Any]: ...

    @overload
    def __setitem__(self, at: int, value: R) -> None: ...
    @overload
    def __setitem__(self, at: str, value: Any) -> None: ...

    def __len__(self) -> int: ...


def zeros(kind: type[R], count: int) -> Records[R]:
    """So many records with nothing but zeros in them."""
    return cast(Records[R], np.zeros(count, kind.kind))
