"""Matches over HTTP: the player that game servers talk to, and the game master.

The words used here:

- **message**: what a server sends to a player (`messages`). **seen**: what it tells about the last step: the joint move,
  or in GDL-II the percepts.
- **front**: the process that listens and answers; it never searches, so it is never late. **child**: a process that works
  for it; it may die or be killed at any time, and is replaced.
- **mind**: the child that searches. **referee**: the child that keeps the position and its legal moves, with Prolog.
- **session**: what the front knows about its one match. **crew**: the two children of a session. **nursery**: where
  children are started ahead.
- **standby move**: a legal move that is ready as soon as a PLAY has arrived, in case the mind gives none in time.
- **margin**: time kept in hand between our answer and the server's deadline.
- **particles**: positions that agree with all that our role has seen, in games with hidden information.
"""
