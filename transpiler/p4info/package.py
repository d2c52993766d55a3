"""What P4Info says of the package as a whole: PkgInfo. P4Runtime spec 1.4 section 6.2.

It comes from annotations of `main`: @pkginfo(name = "…", version = "…", …), @platform_property(…), @brief, @description.
"""

from __future__ import annotations

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.interface import Annotation, Literal
from transpiler.hlir.program import Program
from transpiler.p4info import annotations as notes
from transpiler.p4info.messages import Message

_PACKAGE_KEYS = ("name", "version", "organization", "contact", "url", "arch")
_PLATFORM_KEYS = (
    "multicast_group_table_size",
    "multicast_group_table_total_replicas",
    "multicast_group_table_max_replicas_per_entry",
)


def fill(message: Message, program: Program, diagnostics: Diagnostics) -> None:
    """Fill a PkgInfo."""
    annotations = program.interface.annotations
    message.arch = program.architecture.value
    package, platform = notes.find(annotations, "pkginfo"), notes.find(annotations, "platform_property")
    if package is not None:
        _fields(message, package, _PACKAGE_KEYS, diagnostics)
    if platform is not None:
        _fields(message.platform_properties, platform, _PLATFORM_KEYS, diagnostics)
    notes.add(message, annotations, {"pkginfo", "platform_property"})
    notes.document(message, annotations)


def _fields(message: Message, note: Annotation, keys: tuple[str, ...], diagnostics: Diagnostics) -> None:
    pairs = notes.pairs(note)
    if pairs is None or not all(key for key, _ in pairs):
        diagnostics.error(note.span, f"expected @{note.name}(key = value, …)")
        return
    for key, value in pairs:
        if key not in keys:
            diagnostics.warning(note.span, "annotation", f"@{note.name} has no '{key}': known are {', '.join(keys)}")
        elif not _fits(getattr(message, key), value):
            kind = "string" if isinstance(getattr(message, key), str) else "number below 2**31"
            diagnostics.error(note.span, f"'{key}' of @{note.name} is a {kind}")
        else:
            setattr(message, key, value)


def _fits(present: str | int, value: Literal) -> bool:
    if isinstance(present, str):
        return isinstance(value, str)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31
