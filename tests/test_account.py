"""What a game master is told of an answer."""

from __future__ import annotations

from typing import Any

from ggp.match.account import Account


def opened() -> tuple[Account, list[tuple[str, dict[str, Any]]]]:
    """An account, and the notes that it passes on."""
    notes: list[tuple[str, dict[str, Any]]] = []
    return Account("M", lambda event, **details: notes.append((event, details))), notes


def test_notes_are_passed_on_with_the_name_of_the_match() -> None:
    account, notes = opened()
    account.note("late", step=3)
    account.note("loaded", kind="mind")
    assert notes == [("late", {"match": "M", "step": 3}), ("loaded", {"match": "M", "kind": "mind"})]


def test_what_happened_is_told_with_the_next_answer_only() -> None:
    account, _ = opened()
    assert account.last == {}
    for event in ("late", "loaded", "illegal"):
        account.note(event)
    account.answered("mind", {"expected": 50.0})
    assert account.last == {"how": "mind", "expected": 50.0, "events": ["late", "illegal"]}
    account.answered("standby", {})
    assert account.last == {"how": "standby"}


def test_not_all_of_a_flood_of_events_is_told() -> None:
    account, notes = opened()
    for _ in range(50):
        account.note("silent")
    account.answered("guess", {})
    assert (len(account.last["events"]), len(notes)) == (20, 50)
