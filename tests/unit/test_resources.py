"""Where the folders beside the package are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad import resources


def test_what_is_inside_the_package_comes_before_what_is_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside an installed package are other packages, with folders of any name."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "site" / "macsad")
    (tmp_path / "site" / "apps").mkdir(parents=True)
    assert resources.share("apps") == tmp_path / "site" / "apps"
    (tmp_path / "site" / "macsad" / "share").mkdir(parents=True)
    assert resources.share("apps") == tmp_path / "site" / "apps", "it is not in the package"
    (tmp_path / "site" / "macsad" / "share" / "apps").mkdir()
    assert resources.share("apps") == tmp_path / "site" / "macsad" / "share" / "apps"
    (tmp_path / "site" / "bench").write_text("")
    with pytest.raises(FileNotFoundError, match="macsad is installed without its folder 'bench'"):
        resources.share("bench")
