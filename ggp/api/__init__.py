"""The short way for programs and notebooks: a game, its positions, what a search finds in them, matches.

Nothing is done here that other packages do not do; here it is held together by few objects that need no others.

- **game**: rules, and the machine that answers for them.
- **position**: one of a game's; it never changes, moves make new ones, which know the way they came.
- **found**: what a search of one position found.
- **match**: who played, and the positions from the first to the last.
"""
