"""What an experiment is: settings lead to jobs, jobs to results, results to a report."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from ggp.core.errors import UsageError
from ggp.core.library import game_file
from ggp.lab.report import Report

Json: TypeAlias = Any
"""What JSON can say: None, booleans, numbers, texts, and lists and dictionaries of them."""
Texts: TypeAlias = Mapping[str, str]
"""The rules of games by the game's name; sent along with the jobs, so that workers need no files."""
Settings = TypeVar("Settings")


@dataclass(frozen=True)
class Job:
    """A piece of work that depends on nothing but `work` and the rules of the games it names."""

    key: str
    """Names the job within its plan; results are sorted by it."""
    group: str
    """Jobs of one group take about equally long."""
    work: Mapping[str, Json]
    games: tuple[str, ...] = ()
    """The games whose rules it needs."""


@dataclass(frozen=True)
class Experiment(Generic[Settings]):
    """A question with a plan, a way to do one job of it, and a report."""

    name: str
    title: str
    version: int
    """Goes up whenever results of the old plan mean something else."""
    settings: Settings
    """A frozen dataclass with the published sizes; `--set` changes a copy."""
    plan: Callable[[Settings], Sequence[Job]]
    perform: Callable[[Mapping[str, Json], Texts], Json]
    """Does the work of one job. A function of a module, so that other processes can find it."""
    report: Callable[[Settings, Mapping[str, Json]], Report]
    """Makes a report of the results by key; some may be missing."""
    simulations: Callable[[Mapping[str, Json], Json], int] = lambda work, value: 0
    """How many simulations the work of a job was, told by its result; 0 where that cannot be told."""

    def with_settings(self, changes: Sequence[str]) -> Experiment[Settings]:
        """The experiment with some settings changed, each given as NAME=VALUE."""
        fields = {field.name: field for field in dataclasses.fields(self.settings)}  # type: ignore[arg-type]
        values: dict[str, Any] = {}
        for change in changes:
            name, equals, text = change.partition("=")
            if not equals or name not in fields:
                raise UsageError(f"{change!r}: settings of {self.name} are {', '.join(f'{n}=…' for n in fields)}")
            values[name] = _parsed(name, text, getattr(self.settings, name))
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, **values))  # type: ignore[type-var]

    def header(self, texts: Texts) -> dict[str, Json]:
        """What the results of this experiment depend on, to be compared when a run goes on."""
        return {
            "experiment": self.name,
            "plan": self.version,
            "settings": plain(dataclasses.asdict(self.settings)),  # type: ignore[call-overload]
            "games": {name: digest(text) for name, text in sorted(texts.items())},
        }


def digest(text: str) -> str:
    """Names a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value: Json) -> Json:
    """The same with lists for tuples, as it comes back from JSON."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def library_texts(jobs: Sequence[Job]) -> dict[str, str]:
    """The rules of all games that jobs need, from the library or from the paths that their names are."""
    return {name: game_file(name).read_text(encoding="utf-8") for name in sorted({n for job in jobs for n in job.games})}


_BETWEEN = re.compile(r",(?![^,:]*=)(?![^()]*\))")
"""The commas between the parts of a list; those in `ucd:c=30,d1=inf` and `(0,1,2)` are within one."""


def _parsed(name: str, text: str, old: Any) -> Any:
    """A setting from its text, of the kind of the present value."""
    try:
        if isinstance(old, tuple):
            kind = type(old[0]) if old else str
            return tuple(kind(part.strip()) for part in _BETWEEN.split(text) if part.strip())
        if isinstance(old, (int, float, str)) and not isinstance(old, bool):
            return type(old)(text)
    except ValueError:
        raise UsageError(f"{name}={text}: not a number where {old} stands by default") from None
    raise UsageError(f"{name} cannot be set on the command line")
