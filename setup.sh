#!/bin/sh
# Set up the project in its own folder: SWI-Prolog where it can be installed, .venv/ with the locked dependencies.
# Doing it twice is quick: a stamp in .venv/ tells for which lock file and project file it was set up.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*"; }

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "Python 3.11 or newer is needed; '$python' is none. Install it, or name one: make setup PYTHON=python3.12" >&2
    exit 1
fi

if ! command -v swipl >/dev/null 2>&1; then
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        say "installing SWI-Prolog"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends swi-prolog-nox >/dev/null
    elif command -v apt-get >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        say "installing SWI-Prolog (sudo)"
        sudo -n apt-get update -qq
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends swi-prolog-nox >/dev/null
    else
        say "SWI-Prolog is missing and cannot be installed without root. Ask for: apt install swi-prolog-nox" >&2
    fi
fi

stamp=$(cat requirements.lock pyproject.toml setup.sh | cksum)-$("$python" -c 'import sys; print(sys.version)' | cksum)-$(pwd)
if [ -f .venv/stamp ] && [ "$(cat .venv/stamp)" = "$stamp" ]; then
    exit 0
fi

say "making .venv/ with the locked dependencies"
rm -rf .venv
if ! "$python" -m venv .venv; then
    say "Python's venv module is missing (Debian: apt install python3-venv)" >&2
    exit 1
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
printf '%s' "$stamp" >.venv/stamp
say "done: .venv/bin/ggp is the command"
