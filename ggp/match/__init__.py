"""Matches over HTTP: the player that game servers talk to, and the game master.

The words used here:

- **message**: what a server sends to a player (`messages`). **seen**: what it tells about the last step: the joint move,
  or in GDL-II the percepts.
- **front**: the process that listens and answers; it never searches, so it is never late. **mind**: the child process
  that searches; it may die or be killed at any time.
- **session**: what the front knows about its one match. **referee**: the machine that keeps the session's position.
- **standby move**: a legal move that is ready as soon as a PLAY has arrived, in case the mind gives none in time.
- **margin**: time kept in hand between our answer and the server's deadline.
- **particles**: positions that agree with all that our role has seen, in games with hidden information.
"""
