"""Cut a release: what is unreleased in CHANGELOG.md becomes a section under the version that pyproject.toml gets.

`make release VERSION=0.2.0` does that with a commit and the tag v0.2.0; nothing is sent anywhere. A release is a tag, and
the version that `ggp --version` and wheels tell is that of pyproject.toml: `tests/test_release.py` holds them together.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys

from tests.helpers import ROOT

UNRELEASED = "## Unreleased\n"
_SECTION = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)
_VERSION = re.compile(r'^version = "(\d+\.\d+\.\d+)"$', re.MULTILINE)


def number(version: str) -> tuple[int, ...]:
    """A version, to be compared."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version!r} is no version: three numbers, as 0.2.0")
    return tuple(map(int, version.split(".")))


def releases(changelog: str) -> list[str]:
    """The versions that have a section, as they stand there: the newest first."""
    return [version for version, _ in _SECTION.findall(changelog)]


def version_of(project: str) -> str:
    """The version that pyproject.toml states."""
    (version,) = _VERSION.findall(project)
    return str(version)


def cut(changelog: str, project: str, version: str, day: str) -> tuple[str, str]:
    """Changelog and pyproject.toml of a release."""
    before, found, rest = changelog.partition(UNRELEASED)
    entries = rest.split("\n## ", 1)[0].strip()
    if not found or not entries:
        raise ValueError("nothing is unreleased in CHANGELOG.md")
    last = releases(changelog)
    if last and number(version) <= number(last[0]):
        raise ValueError(f"{version} is not after {last[0]}, the last release")
    number(version)
    return f"{before}{UNRELEASED}\n## {version} ({day})\n{rest}", _VERSION.sub(f'version = "{version}"', project)


def main(version: str) -> None:
    """Cut it here: two files, a commit, a tag."""
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True).stdout:
        raise SystemExit("release: commit what has changed first")
    paths = ROOT / "CHANGELOG.md", ROOT / "pyproject.toml"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        changelog, project = (path.read_text(encoding="utf-8") for path in paths)
        texts = cut(changelog, project, version, today)
    except ValueError as error:
        raise SystemExit(f"release: {error}") from None
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "commit", "--quiet", "--all", "--message", f"Release {version}"], cwd=ROOT, check=True)
    subprocess.run(["git", "tag", "--annotate", f"v{version}", "--message", f"ggp {version}"], cwd=ROOT, check=True)
    print(f"v{version} is tagged")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("release: which version? make release VERSION=0.2.0")
    main(sys.argv[1])
