"""What somebody names to import from: a games server, a dump, a folder, an archive, or one rulesheet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ggp.core.errors import UsageError
from ggp.importing.collection import collection
from ggp.importing.dump import dump
from ggp.importing.files import limited
from ggp.importing.server import server
from ggp.importing.sheets import MetadataError, Missing, Sheet, decoded


def sheets(source: str) -> Iterator[Sheet | Missing]:
    """The rulesheets of a source; UsageError if it is none."""
    path = Path(source)
    if source.startswith(("http://", "https://")):
        yield from server(source)
    elif not path.exists():
        raise UsageError(f"{source}: there is no such folder or file")
    elif path.name.endswith((".sql", ".sql.gz")):
        yield from dump(path)
    elif path.suffix in (".kif", ".gdl") and path.is_file():
        yield _one(path)
    else:
        yield from collection(path)


def _one(path: Path) -> Sheet | Missing:
    try:
        with path.open("rb") as stream:
            return Sheet(path.stem, decoded(limited(stream, str(path))), str(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except MetadataError as error:
        return Missing(path.stem, str(path), str(error))
