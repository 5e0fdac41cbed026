"""The page: play, watch, replay, analyse and write games in a browser, on every game of which there are rules.

- **room**: a match on the page: its thread, its positions, who sits where.
- **key**: a secret that gives a seat in a room; who has none watches.
- **frame**: a position of a room, and what led to it.
- **shelf**: the games that can be played: those of the library, those of the folder, and texts that were sent.
- **archive**: the records on disk.
- **analyst**: searches positions to be looked at.
- **entry**: what is let in from the network: hosts, origins, tokens, sizes, rates.

The browser's half is in `page/`: plain modules, no build step; `main.js` is where to begin.
"""
