"""Why a ground program becomes no circuit."""

from __future__ import annotations

from collections.abc import Sequence

from ggp.errors import GgpError


class CircuitError(GgpError):
    """The ground program cannot become a circuit."""


class CycleError(CircuitError):
    """Some atoms depend on their own negation."""

    def __init__(self, atoms: Sequence[str]) -> None:
        self.atoms = tuple(atoms)
        shown = ", ".join(self.atoms[:6]) + (", ..." if len(self.atoms) > 6 else "")
        super().__init__(f"negation through a cycle of {len(self.atoms)} atoms: {shown}")


class TooLargeError(CircuitError):
    """The circuit would exceed the gate limit."""
