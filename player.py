"""The HTTP player: the same as `ggp play`."""

import sys

from ggp.cli import main

if __name__ == "__main__":
    sys.exit(main(["play", *sys.argv[1:]]))
