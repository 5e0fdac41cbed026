"""Players: whatever chooses moves for a role.

`player` is what they are, `specs` how they are written, `simple` those without a search, `match` a match among some.
"""
