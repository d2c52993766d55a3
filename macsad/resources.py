"""Where the templates, the C sources and the apps are: in the checkout, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def share(folder: str) -> Path:
    """The directory `templates`, `aux-backend`, `apps` or `bench`, wherever macsad runs from. Raises: FileNotFoundError."""
    for root in (_PACKAGE / "share", _PACKAGE.parent):
        if (root / folder).is_dir():
            return root / folder
    raise FileNotFoundError(f"macsad is installed without its folder {folder!r}")
