"""What can go wrong with a description.

    GdlError
    ├── UnreadableError      a file that cannot be read, or is no text
    ├── DescriptionError     a description that breaks the laws: carries every problem found
    └── GroundingError       a description that cannot be grounded within its limits

Each message is a full sentence for the user and names its place where it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl.problems import Problem


class GdlError(Exception):
    """Anything wrong with a description; the message is meant for the user."""


class UnreadableError(GdlError):
    """A file that cannot be read, or is no text."""


class DescriptionError(GdlError):
    """A description that breaks the laws of the language. `problems` holds all that was found, warnings too."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        errors = [p for p in problems if p.is_error]
        more = f"\n(and {len(errors) - 3} more errors)" if len(errors) > 3 else ""
        super().__init__("\n".join(p.render() for p in errors[:3]) + more)


class GroundingError(GdlError):
    """A description that cannot be grounded within its limits, or has no meaning once ground."""
