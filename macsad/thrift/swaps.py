"""Another program for a running switch: loaded, filled with entries, then swapped in, as BMv2 does it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

from macsad.thrift.refusals import Refused
from macsad.thrift.switch import Switch
from transpiler.shown import shown

Build = Callable[[str], tuple[Path, str | None]]  # a program's text → its library and its JSON. Raises: Refused


class Swaps:
    """Another program for the switch: loaded, then swapped in. `build` is None where it takes none."""

    def __init__(self, switch: Switch, build: Build | None) -> None:
        self._switch, self._build = switch, build
        self._lock = threading.Lock()
        self._loaded = False

    def load(self, text: str) -> None:
        """Raises: Refused. BMv2 has no code for a program that is none: standard error says what is wrong."""
        with self._lock:
            build = self._enabled()
            if self._loaded:
                raise Refused("a program is loaded already", "ONGOING_SWAP")
            try:
                self._switch.load(*build(text))
            except Refused as refused:
                print(f"the program cannot be loaded: {shown(str(refused))}", file=sys.stderr)
                raise
            self._loaded = True

    def swap(self) -> None:
        """Raises: Refused."""
        with self._lock:
            self._enabled()
            if not self._loaded:
                raise Refused("no program is loaded", "NO_ONGOING_SWAP")
            self._loaded = False
            self._switch.swap()

    def _enabled(self) -> Build:
        if self._build is None:
            raise Refused("the switch takes no other program", "CONFIG_SWAP_DISABLED")
        return self._build
