"""The tests: one file per module, and `golden/` with recorded play-throughs."""

import os
import sys

# Compiled modules are kept, as Python does it by default, whatever the environment says: the tests start hundreds of
# processes, and each of them would compile all that it imports anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
