"""Repeat the experiments of the papers, or your own: plan, run, report.

Without a name, the experiments are listed. `plan` tells what would be done; `run` does what is not done yet, so that
a run that was stopped or killed goes on; `report` makes Markdown, CSV and plots from the results on disk. Without a
step, the last two are done. An experiment of your own is a TOML file: see docs/experiments.md.

  ggp experiment
  ggp experiment hex --small
  ggp experiment hex plan
  ggp experiment hex run --set matches=40 --results /tmp/hex
  ggp experiment hex --cluster tcp://10.0.0.5:8786
"""

from __future__ import annotations

import dataclasses
import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ggp.commands import options as shared
from ggp.core.errors import UsageError
from ggp.core.progress import duration
from ggp.lab.plan import Experiment

if TYPE_CHECKING:
    from ggp.lab.conduct import State
    from ggp.lab.report import Report

STEPS = ("plan", "run", "report")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp experiment`."""
    parser.add_argument("name", nargs="?", metavar="EXPERIMENT", help="an experiment, or a TOML file of your own")
    parser.add_argument("step", nargs="?", metavar="STEP", help=f"one of {', '.join(STEPS)} (default: run, then report)")
    parser.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", dest="changes",
                        help="change a setting; `plan` shows all; lists are separated by commas")  # fmt: skip
    parser.add_argument(
        "--small",
        action="store_true",
        help="a trial of a minute, whose numbers mean nothing; results and report go to results/NAME-small",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="where reports go (default: docs/reports)")
    parser.add_argument("--json", action="store_true", help="print what was done as an object")
    add_execution(parser)


def add_execution(parser: ArgumentParser) -> None:
    """Options that experiments and tournaments share: where results are kept and who does the work."""
    parser.add_argument("--results", type=Path, metavar="DIR", help="where results are kept (default: results/NAME)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=shared.positive_int, metavar="N",
                       help="processes of this machine (default: one for each processor)")  # fmt: skip
    where.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead, as tcp://host:port")
    shared.add_progress(parser)


def tell_report(options: Namespace, chosen: Experiment[Any], folder: Path, state: State) -> Report:
    """Print the report of what stands in a folder, or an object of it; where that is wanted, write it there, too."""
    from ggp.lab.conduct import make_report
    from ggp.lab.report import markdown, write_report

    report, _ = make_report(chosen, folder)
    if options.to:
        write_report(report, chosen.name, options.to, plots=False)
    if options.json:
        print(json.dumps({**state.as_data(), **report.data}, indent=1))
    else:
        print(markdown(report, chosen.name, plots=False), end="")
    return report


def run(options: Namespace) -> int:
    """List, plan, run or report; 1 if a report was asked for that lacks results."""
    from ggp.lab.catalogue import experiment, names  # numba takes a second

    if options.name is None:
        for name in names():
            print(f"{name:12} {experiment(name).title}")
        return 0
    if options.step not in (None, *STEPS):
        raise UsageError(f"there is no step {options.step!r}; steps are {', '.join(STEPS)}")
    chosen = experiment(options.name, small=options.small).with_settings(options.changes)
    folder = options.results or Path("results") / (f"{chosen.name}-small" if options.small else chosen.name)
    options.to = options.to or (folder if options.small else Path("docs/reports"))
    if options.step == "plan":
        return _plan(options, chosen)
    outcome: dict[str, Any] = {"experiment": chosen.name, "results": str(folder)}
    if options.step in (None, "run"):
        outcome |= _run(options, chosen, folder)
    if options.step in (None, "report"):
        outcome |= _report(options, chosen, folder)
    if options.json:
        print(json.dumps(outcome, indent=1))
    return 0 if outcome["done"] == outcome["jobs"] else 1


def _plan(options: Namespace, chosen: Experiment[Any]) -> int:
    jobs = chosen.plan(chosen.settings)
    settings = dataclasses.asdict(chosen.settings)
    groups = Counter(job.group for job in jobs)
    if options.json:
        plan = {"experiment": chosen.name, "plan": chosen.version, "settings": settings, "jobs": [vars(j) for j in jobs]}
        print(json.dumps(plan, indent=1))
        return 0
    print(f"{chosen.name}: {chosen.title} (version {chosen.version} of the plan)\n\nsettings, changed by --set:")
    for name, value in settings.items():
        print(f"  {name} = {','.join(map(str, value)) if isinstance(value, tuple) else value}")
    print(f"\n{len(jobs)} jobs:")
    for group, count in groups.items():
        print(f"  {count:5}  {group}")
    return 0


def _run(options: Namespace, chosen: Experiment[Any], folder: Path) -> dict[str, Any]:
    from ggp.lab.conduct import run_experiment
    from ggp.lab.pool import make_pool

    pool = partial(make_pool, options.workers, options.cluster)
    try:
        state = run_experiment(chosen, folder, pool, progress=options.progress)
    except KeyboardInterrupt:
        print(f"\nggp: what is done is kept in {folder}; the same command goes on from there", file=sys.stderr)
        raise
    if not options.json:
        took = f"{duration(state.seconds)} of workers' time"
        if state.simulations:
            took += f" ({state.simulations / max(state.seconds, 1e-9):,.0f} simulations a second of each)"
        print(f"{chosen.name}: {state.done} of {state.jobs} jobs done, {took}, results in {folder}")
    return state.as_data()


def _report(options: Namespace, chosen: Experiment[Any], folder: Path) -> dict[str, Any]:
    from ggp.lab import plots
    from ggp.lab.conduct import save_report

    files, state, drawn = save_report(chosen, folder, options.to)
    if not drawn:
        print(f"ggp: {plots.MISSING}; the report is without them", file=sys.stderr)
    if not options.json:
        if state.done < state.jobs:
            print(f"{chosen.name}: the report lacks {state.jobs - state.done} of {state.jobs} jobs", file=sys.stderr)
        print(f"{chosen.name}: {files[0]} and {len(files) - 1} more files")
    return {**state.as_data(), "files": [str(file) for file in files]}
