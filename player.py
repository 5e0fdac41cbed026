"""The HTTP player: the same as `ggp play`."""

import sys

from ggp.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "play")
    sys.exit(main())
