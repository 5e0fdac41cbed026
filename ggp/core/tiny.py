"""A game of two moves."""

from __future__ import annotations

TINY = """
(role a) (init (on 1)) (legal a x) (legal a y) (goal a 100) (<= (next (on 2)) (does a x)) (<= terminal (true (on 2)))
"""
"""Rules to load things with, before time counts."""
