"""Finds what belongs to an architecture, by the package that `main` is of."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

FOLDERS = {"V1Switch": "v1model", "PSA_Switch": "psa", "PNA_NIC": "pna"}


def part(package: str, name: str) -> ModuleType | None:
    """`rules` or `plug` of the architecture with that package; None where it has none."""
    module = f"aux_frontend.p4_16.architectures.{FOLDERS.get(package)}.{name}"
    if package not in FOLDERS or find_spec(module) is None:
        return None
    return import_module(module)


def running() -> tuple[str, ...]:
    """The architectures whose programs can be run."""
    return tuple(folder for package, folder in FOLDERS.items() if part(package, "plug") is not None)
