"""What people may do to a match that programs do not: go back, and leave."""

from __future__ import annotations


class TakeBackError(Exception):
    """A seat wants the match to go back to an earlier step, and to be asked there again."""

    def __init__(self, turn: int) -> None:
        super().__init__(f"back to step {turn}")
        self.turn = turn


class LeftError(Exception):
    """Somebody ends the match before its end; the message says who and how."""


class ResignedError(LeftError):
    """Whoever plays a role gives the match up, so that the others have won it."""

    def __init__(self, name: str, role: int) -> None:
        super().__init__(f"{name} resigns")
        self.role = role
