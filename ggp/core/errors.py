"""What can go wrong while playing.

    GgpError
    ├── UsageError            a request that makes no sense: an unknown player, a file that is not there
    ├── MessageError          a message of a game server that has no meaning
    ├── RecordError           a match record that is none
    ├── RegistrationError     a game server that does not take a player
    ├── SpecialistError       a program that plays one game only does not play as it should
    ├── KnowledgeError        a base of knowledge that cannot be read, or has no room
    └── MachineError          a machine cannot answer
        ├── PrologMissingError    SWI-Prolog is not installed
        ├── TimeLimitError        the question took too long
        ├── MemoryLimitError      the question took too much memory
        ├── WorkerDiedError       the worker process ended while it was asked
        └── RulesError            the rules themselves give no answer (a move with a variable, say)

Descriptions that break the laws of GDL raise `gdl.GdlError` instead.
"""

from __future__ import annotations

from collections.abc import Sequence


class GgpError(Exception):
    """Anything that went wrong while playing; the message is meant for the user."""


class UsageError(GgpError):
    """A request that makes no sense."""


class MessageError(GgpError):
    """A message of a game server that has no meaning; it names the place."""


class RecordError(GgpError):
    """A text that is no match record; it names the place."""


class RegistrationError(GgpError):
    """A game server does not take a player, or cannot be asked."""


class SpecialistError(GgpError):
    """A program that plays one game only does not play as it should; the message begins with its name."""


class KnowledgeError(GgpError):
    """A base of knowledge cannot be read or written; it names the file."""


class MachineError(GgpError):
    """A machine cannot answer."""


class PrologMissingError(MachineError):
    """SWI-Prolog is not installed, or cannot be loaded."""


class TimeLimitError(MachineError):
    """The question took too long."""


class MemoryLimitError(MachineError):
    """The question took too much memory."""


class WorkerDiedError(MachineError):
    """The worker process ended while it was asked."""


class RulesError(MachineError):
    """The rules give no answer."""


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
