#!/bin/sh
# Set up the project in its own folder: SWI-Prolog where it can be installed, .venv/ with the locked dependencies.
# Doing it twice is quick: stamps in .venv/ tell for which lock files and project file it was set up.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*"; }

# quietly COMMAND …: what it prints is kept, and shown only if it fails.
log=$(mktemp)
trap 'rm -f "$log" "$log.names"' EXIT
trap 'exit 130' INT TERM
quietly() {
    if "$@" >"$log" 2>&1; then return 0; fi
    cat "$log" >&2
    say "this failed: $*" >&2
    return 1
}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "Python 3.11 or newer is needed; '$python' is none. Install it, or name one: make setup PYTHON=python3.12" >&2
    exit 1
fi

# install PACKAGE: from Debian, as root or with a sudo that does not ask; false where neither is possible.
install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" = 0 ]; then as_root=; elif sudo -n true 2>/dev/null; then as_root="sudo -n"; else return 1; fi
    say "installing $1"
    quietly $as_root apt-get update -qq &&
        quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
}

# The programs for one game that tests and measurements play against, for those who ask: `make specialists`.
if [ "${1:-}" = --specialists ]; then
    for program in gnugo stockfish fairy-stockfish; do
        if ! PATH="$PATH:/usr/games" command -v "$program" >/dev/null 2>&1 && ! install "$program"; then
            say "$program is missing and cannot be installed without root. Ask for: apt install $program" >&2
        fi
    done
    exit 0
fi

if ! command -v swipl >/dev/null 2>&1 && ! install swi-prolog-nox; then
    say "SWI-Prolog is missing and cannot be installed without root. Ask for: apt install swi-prolog-nox" >&2
fi

# Two sets of dependencies: for playing, and with `--dev` for tests, lint and documents as well. Whoever has the second has the first.
lock=requirements.lock
if [ "${1:-}" = --dev ]; then lock=requirements-dev.lock; fi
version=$("$python" -c 'import sys; print(sys.version)')
stamp=$(cat requirements.lock requirements-dev.lock pyproject.toml setup.sh | cksum)-$(echo "$version" | cksum)-$(pwd)
for done_for in "$lock" requirements-dev.lock; do
    if [ "$(cat ".venv/$done_for.stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi
done

# Somebody may be using .venv/: it is changed in place, and made anew only where it is another Python's or another folder's.
if [ "$(.venv/bin/python -c 'import sys; print(sys.version)' 2>/dev/null)" = "$version" ] &&
    grep -qs " $(pwd)/.venv\$" .venv/pyvenv.cfg; then
    say "changing .venv/"
    rm -f .venv/*.stamp
else
    say "making .venv/"
    rm -rf .venv
    if ! "$python" -c 'import ensurepip' 2>/dev/null && ! install python3-venv; then
        say "Python's venv module is missing and cannot be installed without root. Ask for: apt install python3-venv" >&2
        exit 1
    fi
    quietly "$python" -m venv .venv
fi
pip() { quietly .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }
say "installing the locked dependencies of $lock"
pip --require-hashes --requirement "$lock"

# What a lock named when this was set up before, and none names now, goes; what somebody has installed by hand stays.
sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' requirements.lock requirements-dev.lock | sort -u >"$log.names"
if [ -f .venv/locked ]; then
    gone=$(sort -u .venv/locked | comm -23 - "$log.names" | tr '\n' ' ')
    if [ -n "$gone" ]; then
        say "removing what no lock names any more: ${gone% }"
        # shellcheck disable=SC2086 # each is a word
        quietly .venv/bin/python -m pip uninstall --quiet --disable-pip-version-check --yes $gone
    fi
fi
mv "$log.names" .venv/locked
say "installing ggp"
pip --no-deps --no-build-isolation --editable .
.venv/bin/python -m ggp.commands.warm
printf '%s' "$stamp" >".venv/$lock.stamp"
say "done: .venv/bin/ggp is the command"
