"""The terminal as the people at it share it: what they are shown, whose turn it is to look, what can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.human.keyboard import Keyboard
from ggp.human.memory import Memory, happened_text
from ggp.human.picture import Picture, picture_of
from ggp.machines.machine import Machine
from ggp.match.master import Moment
from ggp.match.seats import Scene
from ggp.match.telling import Happened

_WHAT_IS_KNOWN = (
    "the only position that was found to agree with what you know:",
    "what all {} positions that were found to agree with what you know have in common:",
)


@dataclass
class Host:
    """Shows a match to the people at one terminal."""

    ruleset: Ruleset
    machine: Machine[Any]
    keyboard: Keyboard
    people: frozenset[int]
    """The roles that people play."""
    seed: int
    no_undo: str = ""
    """Why moves cannot be taken back; empty if they can."""
    _choices: list[int] = field(default_factory=list)
    """The steps in which somebody had a choice."""
    _looking: int | None = None
    """The role of whoever looked at the terminal last."""
    _helped: bool = False

    def __post_init__(self) -> None:
        self.hidden = ("sees", 2) in self.ruleset.by_relation
        """Whether roles are told percepts and not the moves of the others."""

    @cached_property
    def picture(self) -> Picture:
        """How positions are shown."""
        return picture_of(self.ruleset)

    def has_secret(self, legal: Sequence[Sequence[Term]]) -> bool:
        """Whether what one of several people sees or types now is not for the others."""
        choosing = [role for role in self.people if len(legal[role]) > 1]
        return len(self.people) > 1 and (self.hidden or len(choosing) > 1)

    def sit_down(self, role: int, scene: Scene, secret: bool) -> None:
        """Let the person with a role look; where there are secrets, the others are asked to look away first."""
        if secret and self._looking not in (None, role):
            self.keyboard.hide()
            name = self.ruleset.roles[role]
            if self.keyboard.is_terminal:
                self.keyboard.ask(f"{name}, it is your turn, and nobody else should look. Enter: ", lambda _: [], None)
            else:
                self.keyboard.say(f"{name}, it is your turn")
        self._looking = role
        turn = scene.happened.turn
        self._choices = [step for step in self._choices if step < turn]
        if len(scene.situation.legal[role]) > 1:
            self._choices.append(turn)

    def stand_up(self, secret: bool) -> None:
        """A person has chosen; where the choice is a secret it does not stay on the screen."""
        if secret:
            self.keyboard.hide()

    def first_time(self) -> bool:
        """True the first time it is asked: then people are told how moves are typed."""
        before, self._helped = self._helped, True
        return not before

    def earlier_choice(self, turn: int) -> int | None:
        """The last step before this one in which somebody had a choice."""
        return max((step for step in self._choices if step < turn), default=None)

    def show_position(self, memory: Memory, last: Happened) -> None:
        """The position as a role knows it."""
        fluents, count = memory.certain()
        if count == 0:
            self.keyboard.say("no position was found that explains what you saw: there is no board to show")
            return
        if self.hidden and last.turn > 0:
            self.keyboard.say(_WHAT_IS_KNOWN[count > 1].format(count))
        self.keyboard.say(self.picture(fluents, None if self.hidden else last.joint))

    def show(self, moment: Moment, names: Sequence[str], before: int | None) -> None:
        """A position was reached: say what led there, as far as everybody may know it."""
        if before is not None and moment.number < before:
            self.keyboard.say(f"taken back to step {moment.number}")
            return
        for role, name, fault in zip(self.ruleset.roles, names, moment.faults, strict=True):
            if fault is not None:
                what = f"{fault.kind.name.lower()}" if self.hidden else fault.message
                self.keyboard.say(f"{name} ({role}): {what}; a random legal move was made instead")
        if moment.last is not None and (not self.hidden or moment.ending is not None):
            step = Happened(moment.number, moment.last, None)
            self.keyboard.say(happened_text(self.ruleset.roles, step, 0))
        if moment.ending is not None:
            if self.hidden:
                self.keyboard.say("the whole position, now that the match is over:")
            self.keyboard.say(self.picture(self.machine.fluents(moment.position), moment.last))
