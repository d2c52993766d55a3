"""The switches of the optimisations: each changes what is made of some program, the command knows them, they are documented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest
import switches
from changed_programs import APPS, CHANGED, DROPS

from macsad import cli
from macsad.compilation import Request, generate_c
from macsad.resources import share
from macsad.verbs import bench, build
from transpiler.analysis.packet_profile import NOTHING, PacketProfile, TableCounts
from transpiler.configuration import BEST
from transpiler.optimisations import ALL, DOES, GAIN, NAMES, NONE, OF_BUILD, SYNONYMS, Optimisations
from transpiler.passes.pipeline import PASSES, optimise
from transpiler.switches import SWITCHES, configuration
from transpiler.targets.find import builtin
from transpiler.toolchain import toolchain

ROOT = Path(__file__).parents[2]
DOCUMENTED = ROOT / "docs" / "optimisations.md"
HALF = TableCounts(10, 0, {"Drops.drop": 5, "Drops.go_on": 5})
PROFILES = {DROPS: PacketProfile(10, {"Drops.acl": HALF})}
PROGRAMS = [APPS / app / f"{app}.p4" for app in ("l2fwd", "l3fwd")]
SMALL = [ROOT / "tests/packets/standard_metadata.p4", *sorted((ROOT / "tests/golden/passes").glob("*.p4"))]


@cache
def c_of(path: Path, wanted: Optimisations = ALL) -> str:
    return generate_c(Request(path, wanted=wanted, profile=PROFILES.get(path, NOTHING)), switches.load(path)).c


@pytest.mark.parametrize("name", CHANGED)
def test_a_switch_changes_the_c(name: str) -> None:
    assert c_of(CHANGED[name]) != c_of(CHANGED[name], ALL.without([name]))


def test_every_optimisation_has_its_switch() -> None:
    assert sorted(SWITCHES) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_switch_acts_in_one_place(name: str) -> None:
    """It changes one thing of the configuration, or the kernels that name it are not taken: never both."""
    kernels = [kernel.name for kernel in builtin().kernels if kernel.optimisation == name]
    changed = differences(SWITCHES[name](BEST), BEST)
    assert len(changed) == (0 if kernels else 1)
    made = configuration(ALL.without([name]))
    assert differences(made, BEST) == {*changed, "use.without"}
    assert not set(kernels) & {kernel.name for kernel in made.use.of(builtin()).kernels}


PARTS = {
    "use": "small-tables",
    "ways": "atomic-updates lock-stripes sharding tallies",
    "scheduler": "stages state concurrent-lookups merge decision-cache ready-decisions run-to-completion locals reread "
    "constant-propagation",
    "likely": "early-drops hot-actions",
    "lowering": "in-place sums defer-counts bundles empty-tables key-words inline-stages look-first",
    "binary": "native self-described-buffers",
}
MEMBERS = {
    "atomic-updates": "updates", "lock-stripes": "stripes", "sharding": "steering", "stages": "cut", "state": "starts_state",
    "decision-cache": "decisions", "defer-counts": "deferred_counts", "native": "own_processor",
    "self-described-buffers": "self_described",
}  # fmt: skip
EDITS = {
    "bulk": "with_arrays", "follow": "with_entries_followed", "software-pipelining": "software_pipelined",
    "read-ahead": "with_read_ahead", "stage-clocks": "with_laps",
}  # fmt: skip
SAID = {
    "few-entries": "MACS_NO_FEW_ENTRIES", "one-mask": "MACS_NO_ONE_MASK", "prefetch": "MACS_NO_PREFETCH",
    "simd": "MACS_SCAN_PLAIN MACS_CRC_PLAIN", "tidy-tables": "leaves_untidy", "huge-pages": "avoids_huge_pages",
    "transmit-buffer": "sends_singly", "interleave": "ciphers_singly",
}  # fmt: skip
KERNELS = ("packed-entries", "compare", "direct")  # kernels alone


def test_what_each_switch_changes() -> None:
    """A member of a part, an edit of the plan, or what the C file says to the backend."""
    changed = {
        name: frozenset({f"{part}.{MEMBERS.get(name, name.replace('-', '_'))}"})
        for part, names in PARTS.items()
        for name in names.split()
    }
    changed |= (
        dict.fromkeys(EDITS, frozenset({"plan"}))
        | dict.fromkeys(KERNELS, frozenset())
        | {"passes": frozenset({"passes"})}
    )
    changed |= {name: frozenset({"defines" if words.isupper() else "settings"}) for name, words in SAID.items()}
    made = {name: configuration(ALL.without([name])) for name in NAMES}
    assert {name: differences(one, BEST) - {"use.without"} for name, one in made.items()} == changed
    edits = {name: [edit.__name__ for edit in BEST.plan if edit not in made[name].plan] for name in EDITS}  # type: ignore[attr-defined]
    assert edits == {name: [edit] for name, edit in EDITS.items()} and made["passes"].passes == ()
    assert {name: " ".join((*made[name].defines, *made[name].settings)) for name in SAID} == SAID


def test_queues_and_a_profile_are_handed_on() -> None:
    made = configuration(ALL, queues=True, profile=PROFILES[DROPS])
    assert differences(made, BEST) == {"scheduler.queues", "likely.profile.packets", "likely.profile.tables"}
    assert made.scheduler.queues and made.likely.profile == PROFILES[DROPS]


def test_everything_is_done_where_nothing_is_left_out() -> None:
    assert configuration(ALL) == BEST and BEST.use.of(builtin()) == builtin()


def differences(one: object, other: object) -> set[str]:
    """The fields that are not the same, those of a part of it as PART.FIELD."""
    found = set()
    for f in fields(one):  # type: ignore[arg-type]
        ours, theirs = getattr(one, f.name), getattr(other, f.name)
        if ours != theirs:
            inner = differences(ours, theirs) if is_dataclass(ours) else {""}
            found |= {f"{f.name}.{name}".rstrip(".") for name in inner}
    return found


def test_not_native_is_for_any_processor() -> None:
    assert "-march=native" in toolchain.find(arch="x86_64", compiler="gcc").compile_flags or (
        toolchain.host_arch() != "x86_64"
    )
    found = toolchain.find(own_processor=False)
    assert not [flag for flag in found.compile_flags if flag.startswith(("-march", "-mcpu"))]
    assert "-march=haswell" in toolchain.find(cpu="haswell", own_processor=False).compile_flags or (
        toolchain.host_arch() != "x86_64"
    )


@pytest.mark.parametrize("name", [name for name, _ in PASSES])
def test_a_pass_that_is_left_out_is_not_run(name: str) -> None:
    seen: list[str] = []
    without = Optimisations(without_passes=frozenset([name]))
    programs = [switches.load(path) for path in SMALL]
    passes = configuration(without).passes
    assert any(optimise(p) != optimise(p, lambda ran, _: seen.append(ran), passes) for p in programs)
    assert seen and name not in seen


def test_nothing_is_optimised_without_all() -> None:
    assert NONE.left_out == NAMES and not ALL.left_out
    program = switches.load(PROGRAMS[0])
    assert optimise(program, passes=configuration(NONE).passes) is program
    c = c_of(PROGRAMS[0], NONE)
    assert (
        "#define MACS_NO_PREFETCH" in c
        and ".sends_singly = true" in c
        and ".run_to_completion" not in c
        and ".prologue" not in c
    )


def test_what_a_build_is_made_of() -> None:
    for number, name in enumerate(OF_BUILD):
        assert ALL.without([name]).of_build == tuple(at != number for at in range(len(OF_BUILD)))
        assert c_of(PROGRAMS[0], ALL.without([name])) == c_of(PROGRAMS[0])


def test_passes_are_left_out_by_name_too() -> None:
    wanted = ALL.without(["simd", "fold_selects"])
    assert wanted == Optimisations(simd=False, without_passes=frozenset(["fold_selects"]))
    assert wanted.left_out == ("simd",)


def test_lookups_prefetch_by_the_function_that_can_be_switched_off() -> None:
    headers = [path for path in (share("aux-backend") / "tables").rglob("*.h") if path.stem != "prefetch"]
    assert headers and [path.name for path in headers if "__builtin_prefetch" in path.read_text()] == []


def test_what_a_platform_always_does() -> None:
    without = ALL.without(["self-described-buffers"])
    assert ALL.as_far_as("linux") == ALL.as_far_as("dpdk") == without.as_far_as("dpdk") == ALL
    assert without.as_far_as("linux") == without


@pytest.mark.parametrize("verb", [("build",), ("run", "--port", "0=null:"), ("test", str(PROGRAMS[1]))])
def test_an_unknown_switch_is_answered_with_the_nearest(
    verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call([verb[0], str(PROGRAMS[1]), *verb[1:], "--no-prefetsh"]) == cli.USAGE
    assert "No such option '--no-prefetsh'. Did you mean '--no-prefetch'?" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [("build",), ("run", "--port", "0=null:"), ("test", str(PROGRAMS[1])), ("bench",)])
def test_a_switch_of_another_platform_is_wrong_usage(
    verb: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--no-self-described-buffers", "--platform", "dpdk"]
    assert cli.call([verb[0], str(PROGRAMS[1]), *verb[1:], *options]) == cli.USAGE
    assert "--no-self-described-buffers is for the platform linux" in capsys.readouterr().err


def test_the_command_leaves_out_what_it_is_told_to(tmp_path: Path) -> None:
    options = ["--no-prefetch", "--no-packed-entries", "--no-pass", "fold_selects", "-O0", "-o", str(tmp_path)]
    assert cli.call(["build", str(PROGRAMS[1]), *options]) == 0
    wanted = Optimisations(prefetch=False, packed_entries=False, without_passes=frozenset(["fold_selects"]))
    assert (tmp_path / "l3fwd.c").read_text() == c_of(PROGRAMS[1], wanted)
    assert cli.call(["build", str(PROGRAMS[1]), "--no-pass", "fold_selekts"]) == cli.USAGE


def test_synonyms_of_switches(capsys: pytest.CaptureFixture[str]) -> None:
    """They do what the names do; no help shows them."""
    assert set(SYNONYMS.values()) <= set(NAMES) and not set(SYNONYMS) & set(NAMES)
    plans = []
    for switch in ("software-pipelining", "overlap"):
        assert cli.call(["graph", str(PROGRAMS[0]), "--kind", "plan", f"--no-{switch}"]) == 0
        plans.append(capsys.readouterr().out)
    assert plans[0] == plans[1] and "prologue" not in plans[0]
    assert cli.call(["build", "--help-all"]) == 0
    told = capsys.readouterr().out
    assert "--no-software-pipelining" in told and "--no-overlap" not in told
    assert bench.Without().convert("overlap,simd", None, None) == ("software-pipelining", "simd")


@pytest.mark.parametrize(("other", "name"), SYNONYMS.items())
def test_a_synonym_leaves_out_what_the_name_does(other: str, name: str) -> None:
    """And nothing else."""
    words = [str(PROGRAMS[0]), "--no-cache"]
    plain, named, meant = (
        build.command.make_context("build", [*words, *more]).params
        for more in ((), (f"--no-{name}",), (f"--no-{other}",))
    )
    assert meant == named == {**plain, f"no_{name.replace('-', '_')}": True} != plain


def test_switches_are_documented(golden: Callable[[Path, str], None]) -> None:
    """The table is made from the dataclass; `--update-golden` writes it anew."""
    before, start, rest = DOCUMENTED.read_text().partition("| switch |")
    _, end, after = rest.partition("\n\n")
    rows = [f"| `--no-{name}` | {DOES[name]} | {GAIN[name]} |" for name in NAMES]
    table = "\n".join([f"{start} leaves out | which gains, and costs |", "|---|---|---|", *rows])
    golden(DOCUMENTED, f"{before}{table}{end}{after}")
