"""The tests: one file per module, and `golden/` with recorded play-throughs."""
