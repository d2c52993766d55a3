"""What a target can do, as data. `description.py` reads it from a folder, `find.py` knows which folders there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from transpiler.hlir.program import MatchKind, TableKey
from transpiler.hlir.types import width_of
from transpiler.targets.footprint import NOTHING, Footprint

_WORD_BITS = 64
_KINDS = ("exact", "lpm", "ternary")
_WAYS_BITS = 3  # log2 of the entries in a bucket of words


class BadTarget(Exception):
    """A target that cannot be used: `place` is a file of it, with its line where that is known; `page` says how it is right."""

    page = "docs/extend/target.md"

    def __init__(self, place: object, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place = str(place)
        self.what = what


class BadTemplate(BadTarget):
    """A template of a target's that overrides nothing, or fails."""

    page = "docs/extend/template.md"


class BadKernel(BadTarget):
    """A table kernel of a target's that is not there, or lacks something."""

    page = "docs/extend/kernel.md"


class UnknownTarget(Exception):
    """There is no target of that name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a table wants of its kernel. `word_bits`: of its key and of its data where its entries can be words, else
    `no_words` says why not. `indexed`: lookups are to find the entry's index, for direct externs. `constants`: how many
    entries, where they are those of the program for ever."""

    keys: tuple[TableKey, ...]
    size: int = 0
    word_bits: tuple[int, int] | None = None
    no_words: str = "its entries are no words"
    constants: int | None = None
    indexed: bool = False

    @property
    def matched(self) -> tuple[TableKey, ...]:
        """The keys that are matched; the others select among the members of a group."""
        return tuple(key for key in self.keys if key.match_kind is not MatchKind.SELECTOR)

    @property
    def bits(self) -> int:
        return sum(width_of(key.expression.type) for key in self.matched)

    @property
    def field_bits(self) -> int:
        """Of the widest field."""
        return max((width_of(key.expression.type) for key in self.matched), default=0)

    @property
    def key_bytes(self) -> int:
        """Of the packed key: each field in whole bytes."""
        return sum(-(-width_of(key.expression.type) // 8) for key in self.matched)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A table kernel and the tables that it takes; target.toml says what each of these means. `own_header`: where its C is
    the target's, its header in the target's folder: tables/NAME.h, or tables/KIND/NAME.h as ours are. `place`: FILE:LINE of
    its description."""

    name: str
    match: frozenset[MatchKind]
    max_bits: int | None = None
    max_field_bits: int | None = None
    max_key_bytes: int | None = None
    alone: bool = False
    steps: int = 0
    words: bool = False
    bulk: bool = False
    bulk_key_bytes: int = 0
    parts: bool = False
    min_bits: int = 0
    max_data_bits: int = 64
    max_entry_bits: int | None = None
    max_indexed_bits: int = 0
    max_entries: int | None = None
    suits: str = ""
    optimisation: str = ""
    kept_by: str = ""
    memory: Footprint = NOTHING
    own_header: str = ""
    place: str = field(default="", compare=False)

    @property
    def header(self) -> str:
        """What generated C includes: from the target's own tables/, or from ours, which have folders by match kind."""
        kind = self.keeper.partition("_")[0]
        return self.own_header or f"tables/{kind if kind in _KINDS else 'common'}/{self.keeper}.h"

    @property
    def keeper(self) -> str:
        """The kernel in C that keeps its entries."""
        return self.kept_by or self.name

    def looks_up_many(self, key_bytes: int) -> bool:
        """Whether it looks up arrays of such keys."""
        return self.bulk and (not self.bulk_key_bytes or key_bytes <= self.bulk_key_bytes)

    def matches(self, need: Need) -> bool:
        """Whether it has the match kinds of such a table."""
        return self.match >= {key.match_kind for key in need.matched}

    def width_fits(self, need: Need) -> bool:
        fits = self.min_bits <= need.bits and (self.max_bits is None or need.bits <= self.max_bits)
        fits = fits and (self.max_field_bits is None or need.field_bits <= self.max_field_bits)
        return fits and (self.max_key_bytes is None or need.key_bytes <= self.max_key_bytes)

    def refusal(self, need: Need) -> str:
        """Why it cannot hold such a table; empty where it can."""
        keys = need.matched
        if not self.matches(need):
            others = sorted({key.match_kind.value for key in keys if key.match_kind not in self.match})
            return f"it does not match {' or '.join(others)}"
        if sum(key.match_kind is MatchKind.LPM for key in keys) > 1:
            return "it matches one prefix"
        if self.alone and len(keys) != 1:
            return f"it matches one field, and this key has {len(keys)}"
        if not self.width_fits(need):
            return self._refuses_width(need)
        if self.kept_by and need.constants is None:
            return "it is for entries that never change"
        size = need.constants if self.kept_by and need.constants is not None else need.size
        if self.max_entries is not None and size > self.max_entries:
            return f"it holds at most {self.max_entries} entries, and the table's size is {size}"
        if self.kept_by and any(width_of(key.expression.type) > _WORD_BITS for key in keys):
            return f"it compares fields of at most {_WORD_BITS} bits"
        return self._refuses_words(need) if self.words else ""

    def _refuses_width(self, need: Need) -> str:
        if need.bits < self.min_bits:
            return f"its keys have at least {self.min_bits} bits, and this one has {need.bits}"
        if self.max_bits is not None and need.bits > self.max_bits:
            return f"its keys have at most {self.max_bits} bits, and this one has {need.bits}"
        if self.max_field_bits is not None and need.field_bits > self.max_field_bits:
            return f"its fields have at most {self.max_field_bits} bits, and one of this key has {need.field_bits}"
        return f"its keys have at most {self.max_key_bytes} bytes, and this one has {need.key_bytes}"

    def _refuses_words(self, need: Need) -> str:
        if need.word_bits is None:
            return f"its entries are words of 64 bits: {need.no_words}"
        key_bits, data_bits = need.word_bits
        if data_bits > self.max_data_bits:
            return f"its entries have at most {self.max_data_bits} bits of data, and these have {data_bits}"
        if need.indexed and key_bits + data_bits > self.max_indexed_bits:
            room = f"{self.max_indexed_bits} bits" if self.max_indexed_bits else "nothing"
            return f"beside an entry's index there is room for {room}, and key and data have {key_bits} + {data_bits}"
        if self.max_entry_bits is None:
            return ""
        least = max(key_bits + data_bits - self.max_entry_bits, 1)  # log2 of the buckets
        most = min(max(need.size.bit_length() - 1 - _WAYS_BITS, 1), key_bits - _WAYS_BITS)
        if least > most:
            return f"key and data have {key_bits} + {data_bits} bits, which do not fit a word in a table of {need.size}"
        return ""


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of packets and bytes that a target's templates keep, besides those of the program."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class BuildDefaults:
    """What to build for where the command line does not say; None: as macsad has it. `odp`: the package of the installed ODP,
    as pkg-config has it; `sysroot`: the folder that has the headers and libraries of the machine."""

    arch: str | None = None
    platform: str | None = None
    cpu: str | None = None
    cc: str | None = None
    odp: str | None = None
    sysroot: str | None = None


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """How a switch runs where its command line does not say; 0 and "": as the runtime has it. `start`: the C function of the
    target's that is called before the ports are opened."""

    workers: int = 0
    burst: int = 0
    sub_batch: int = 0
    cpus: str = ""
    start: str = ""


BUILDS_AS_OURS, RUNS_AS_OURS = BuildDefaults(), RunDefaults()


@dataclass(frozen=True, slots=True)
class Target:
    """`near_bytes`: lookups that read no more than that of a table find it in the cache. `folders`: its own, then that of the
    target that it extends, and so on; each with that target's name."""

    name: str
    summary: str
    architectures: frozenset[str]
    max_key_bytes: int
    near_bytes: int
    externs: frozenset[str]
    hash_algorithms: frozenset[str]
    kernels: tuple[Kernel, ...]
    counters: tuple[Counter, ...]
    folders: tuple[tuple[str, Path], ...]
    build: BuildDefaults = BUILDS_AS_OURS
    run: RunDefaults = RUNS_AS_OURS

    def refusals(self, need: Need) -> tuple[str, ...]:
        """Why each kernel with the match kinds of such a table cannot hold it: `name: reason`."""
        return tuple(f"{k.name}: {k.refusal(need)}" for k in self.kernels if k.matches(need) and not k.kept_by)

    def kernel_for(self, need: Need) -> Kernel | None:
        """The first kernel that takes such a table, if any."""
        return next((kernel for kernel in self.kernels if not kernel.refusal(need)), None)

    @property
    def templates(self) -> tuple[tuple[str, Path], ...]:
        """The folders of templates, those that override others first, each with its target's name."""
        return tuple((name, path) for name, at in self.folders if (path := at / "templates").is_dir())

    @property
    def c_folders(self) -> tuple[Path, ...]:
        """The folders with a tables/ of C in them, the target's own first."""
        return tuple(at for _, at in self.folders if (at / "tables").is_dir())
