"""Which targets there are: ours, those that installed packages bring, and those in a folder that the user names."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from transpiler.targets.description import load
from transpiler.targets.target import BadTarget, Target, UnknownTarget

GROUP = "macsad.targets"
OURS = "software"


@functools.cache
def builtin(name: str = OURS) -> Target:
    """A target that comes with macsad. Raises: BadTarget, UnknownTarget."""
    return choose(name, None)


def choose(name: str | None, folder: Path | None) -> Target:
    """The target called `name`, or the one in `folder`, or else ours.

    folder: a target's own, with target.toml in it, or one with targets in folders of their names.
    Raises: BadTarget, UnknownTarget.
    """
    if folder is not None and (folder / "target.toml").exists():
        target = load(folder, Known(None).folder)
        if name not in (None, target.name):
            raise UnknownTarget(f"no target '{name}' in {folder}: there is '{target.name}'")
        return target
    known = Known(folder)
    if name is None and folder is not None:
        name = known.only(folder)
    name = name or OURS
    target = load(known.folder(name), known.folder)
    if target.name != name:
        raise BadTarget(known.folder(name) / "target.toml", f"its name is '{target.name}', but it is found as '{name}'")
    return target


class Known:
    """The targets by name."""

    def __init__(self, folder: Path | None) -> None:
        self.ours = {path.parent.name: path.parent for path in Path(__file__).parent.glob("*/target.toml")}
        self.installed = {entry.name: entry for entry in entry_points(group=GROUP)}
        self.named = {path.parent.name: path.parent for path in folder.glob("*/target.toml")} if folder else {}

    def only(self, folder: Path) -> str:
        """The name of the one target in the folder. Raises: UnknownTarget."""
        if len(self.named) != 1:
            which = (
                f"say --target NAME; there are {', '.join(sorted(self.named))}" if self.named else "no target is there"
            )
            raise UnknownTarget(f"{folder} has no target.toml: {which}")
        return next(iter(self.named))

    def folder(self, name: str) -> Path:
        """Raises: UnknownTarget; BadTarget, for two targets of one name, or a package without a folder."""
        places = [places[name] for places in (self.ours, self.named) if name in places]
        if name in self.installed:
            places.append(_folder_of(self.installed[name]))
        if len(places) > 1:
            raise BadTarget(places[1], f"there is another target '{name}' in {places[0]}: give yours another name")
        if not places:
            known = sorted({*self.ours, *self.named, *self.installed})
            raise UnknownTarget(f"no target '{name}': there are {', '.join(known)}")
        return places[0]


def _folder_of(entry: EntryPoint) -> Path:
    """The folder of the package that an entry point names. Raises: BadTarget."""
    place = f"entry point {entry.name} = {entry.value}"
    try:
        package = entry.load()
    except Exception as error:  # whatever another's package raises when it is imported
        raise BadTarget(place, f"cannot be loaded: {type(error).__name__}: {error}") from error
    folders = list(getattr(package, "__path__", ()))
    if not folders:
        raise BadTarget(place, "names no package, whose folder would be the target's")
    return Path(folders[0])
