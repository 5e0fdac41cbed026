"""Versions, tags and the changelog say the same."""

from __future__ import annotations

import subprocess

import pytest

import ggp
from tests.helpers import ROOT
from tests.release import cut, number, releases, version_of

CHANGELOG = "# Changelog\n\n## Unreleased\n\n- More.\n\n## 0.1.0 (2026-01-02)\n\n- All.\n"
PROJECT = '[project]\nname = "ggp"\nversion = "0.1.0"\n'


def test_a_release_is_a_section_and_a_version() -> None:
    changelog, project = cut(CHANGELOG, PROJECT, "0.2.0", "2026-03-04")
    assert changelog == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-03-04)\n\n- More.\n\n## 0.1.0 (2026-01-02)\n\n- All.\n"
    )
    assert project == PROJECT.replace("0.1.0", "0.2.0")
    assert releases(changelog) == ["0.2.0", "0.1.0"] and version_of(project) == "0.2.0"
    with pytest.raises(ValueError, match="nothing is unreleased"):
        cut(changelog, project, "0.3.0", "2026-03-05")


@pytest.mark.parametrize(
    ("version", "message"), [("0.1.0", "is not after 0.1.0"), ("0.0.9", "is not after"), ("1.0", "is no version")]
)
def test_what_is_no_next_version(version: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cut(CHANGELOG, PROJECT, version, "2026-03-04")


def test_the_changelog_the_version_and_the_tags_agree() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    sections = releases(changelog)
    assert changelog.startswith("# Changelog\n\n## Unreleased\n")
    assert changelog.count("\n## ") == 1 + len(sections)
    assert sections == sorted(sections, key=number, reverse=True)
    assert version_of(project) == ggp.__version__ == (sections[0] if sections else "0.1.0")
    tags = subprocess.run(
        ["git", "tag", "--list", "v[0-9]*"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    assert {tag.removeprefix("v") for tag in tags.split()} <= set(sections)
