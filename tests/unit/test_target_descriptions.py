"""What a target's description may say, to the last number that is one too many, and how it is told what is wrong, and where."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from transpiler.targets.description import load
from transpiler.targets.find import Known, choose
from transpiler.targets.target import BadTarget, BuildDefaults, Counter, RunDefaults, UnknownTarget

TOP = 'name = "board"\nextends = "software"\n'
KERNEL = '[[kernels]]\nname = "own"\nmatch = ["exact"]\n'
COUNTER = '[[counters]]\nname = "c"\nsize = 1\n'
OTHER = '[[kernels]]\nname = "two"\nmatch = ["selector"]\n'


def told(folder: Path, text: str) -> str:
    """What is wrong with it; "" where it is right."""
    (folder / "target.toml").write_text(text)
    try:
        load(folder, Known(None).folder)
    except BadTarget as error:
        return str(error).removeprefix(f"{folder}/target.toml:")
    return ""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[run]\nworkers = 1\nburst = 256\nsub_batch = 256\n", ""),
        ("[run]\nworkers = 64\nburst = 1\nsub_batch = 1\n", ""),
        ("[run]\nburst = 4\nworkers = 0\n", "5: workers is 0, not from 1 to 64"),
        ("[run]\nworkers = 65\n", "4: workers is 65, not from 1 to 64"),
        ("[run]\nburst = 0\n", "4: burst is 0, not from 1 to 256"),
        ("[run]\nburst = 257\n", "4: burst is 257, not from 1 to 256"),
        ("[run]\nsub_batch = 0\n", "4: sub_batch is 0, not from 1 to 256"),
        ("[run]\nsub_batch = 257\n", "4: sub_batch is 257, not from 1 to 256"),
        ('[run]\nburst = "8"\n', "4: burst is '8', not of type int"),
        ("[run]\ncpus = 3\n", "4: cpus is 3, not of type str"),
        ("[run]\nworker = 1\n", "4: unknown key 'worker': there are workers, burst, sub_batch, cpus, start"),
        ("run = 5\n", "3: run is 5, not of type dict"),
        ('[run]\nstart = "board_start2"\n', ""),
        ('[run]\nstart = "Board"\n', "4: start is 'Board', not small letters, digits and _ as C takes them"),
        ('[run]\nstart = "2start"\n', "4: start is '2start', not small letters, digits and _ as C takes them"),
        *((f'[run]\ncpus = "{cpus}"\n', "") for cpus in ("0", "1,2", "2-5", "3,1", "4-4", "0,2-1023,7")),
        *(
            (f'[run]\ncpus = "{cpus}"\n', f"4: cpus is '{cpus}', not CPU numbers, as in 1,2 or 2-5")
            for cpus in ("", "a", "1,", ",1", "1 2", "5-2", "0,5-2", "5-2,0", "1024", "1-1024", "1-2-3", "00001", "-1")
        ),
        ('[build]\narch = "s390x"\nplatform = "odp"\ncpu = "z15"\ncc = "gcc -m64"\n', ""),
        ('[build]\narch = "vax"\n', "4: arch is 'vax': there are x86_64, aarch64, armv7, riscv64, s390x"),
        ('[build]\ncc = "gcc"\nplatform = "bsd"\n', "5: platform is 'bsd': there are linux, dpdk, odp"),
        ("[build]\ncpu = 1\n", "4: cpu is 1, not of type str"),
        ('[build]\ncompiler = "gcc"\n', "4: unknown key 'compiler': there are arch, platform, cpu, cc, odp, sysroot"),
        (f'[[counters]]\nname = "c"\nsize = {1 << 24}\n', ""),
        (f'[[counters]]\nname = "c"\nsize = {(1 << 24) + 1}\n', "5: size is 16777217, not from 1 to 16777216"),
        ('[[counters]]\nname = "c"\nsize = 0\n', "5: size is 0, not from 1 to 16777216"),
        ('[[counters]]\nname = "c"\nsize = 1\n[[counters]]\nname = "d"\n', "6: the key 'size' is missing"),
        (COUNTER + COUNTER.replace('"c"', '"d"'), ""),
        (COUNTER + COUNTER, "7: the counter 'c' is there twice"),
        (COUNTER + COUNTER.replace('"c"', '"d"') + COUNTER, "10: the counter 'c' is there twice"),
        ("[[counters]]\nsize = 1\n", "3: the key 'name' is missing"),
        ('[[counters]]\nname = "C"\nsize = 1\n', "4: name is 'C', not small letters, digits and _ as C takes them"),
        ('[[counters]]\nname = "c"\nsize = 1\nunit = 1\n', "6: unknown key 'unit': there are name, size"),
        ("counters = [5]\n", "3: counters is not written as [[counters]]"),
        ("kernels = [5]\n", "3: kernels is not written as [[kernels]]"),
        ("kernels = 5\n", "3: kernels is 5, not of type list"),
        (KERNEL, ""),
        (KERNEL + "steps = 0\nmin_bits = 0\nmax_data_bits = 0\nmax_entries = 1\nmax_bits = 1\n", ""),
        *((KERNEL + f"{key} = -1\n", f"6: {key} is -1, not at least 0") for key in ("steps", "min_bits", "max_data_bits")),
        *(
            (KERNEL + f"{key} = 0\n", f"6: {key} is 0, not at least 1")
            for key in ("max_entries", "max_bits", "max_field_bits", "max_key_bytes", "max_entry_bits", "max_indexed_bits")
        ),
        (KERNEL + "bulk = true\nmax_key_bytes = 4\n", ""),
        (KERNEL + "bulk = true\nalone = true\nmax_bits = 32\n", ""),
        (KERNEL + "bulk = true\nwords = true\n", ""),
        (KERNEL + "bulk = true\nbulk_key_bytes = 16\nparts = true\n", ""),
        *(
            (
                KERNEL + f"bulk = true\n{limit}\n",
                "6: bulk takes keys as numbers: max_key_bytes of at most 4 is missing, or bulk_key_bytes",
            )
            for limit in ("max_key_bytes = 5", "alone = true\nmax_bits = 33", "max_bits = 32", "alone = true")
        ),
        (KERNEL + "words = 1\n", "6: words is 1, not of type bool"),
        (KERNEL + "bulk_key_bytes = 4\n", "6: bulk_key_bytes is of use with bulk only"),
        (KERNEL + "parts = true\n", "6: parts is of use with bulk_key_bytes only"),
        (KERNEL + "max_entry_bits = 4\n", "6: max_entry_bits is of use with words only"),
        (KERNEL + "words = true\nmax_entry_bits = 4\n", ""),
        (KERNEL + 'optimisation = "direct"\n', ""),
        (KERNEL + "memory = { base = 1, slot = true }\n", ""),
        (KERNEL + "memory = { base = true }\n", "3: base is True, not of type int"),
        ('[[kernels]]\nname = "own"\n', "3: the key 'match' is missing"),
        ('[[kernels]]\nmatch = ["exact"]\n', "3: the key 'name' is missing"),
        (KERNEL + OTHER, "8: no such match kind: selector (there are exact, lpm, optional, "),
        (KERNEL + KERNEL, "7: the kernel 'own' is there twice"),
        ('without_kernels = ["linear", "liner"]\n', "3: no kernel 'liner' to leave out: there are "),
        ('without_kernels = ["linear"]\n[[kernels]]\nname = "linear"\n', "5: the kernel 'linear' is left out by without_kernels"),
        ('architectures = ["v1model", 5]\n', "3: architectures has something else than strings"),
        ("'near' = 5\n", "3: unknown key 'near': there are name, extends, summary, architectures, "),
    ],
)  # fmt: skip
def test_what_a_description_may_say(text: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "own.h").touch()
    said = told(tmp_path, TOP + text)
    assert said.startswith(wrong) if wrong.endswith((", ", "are ")) else said == wrong


def test_what_is_not_extended_says_all(tmp_path: Path) -> None:
    lines = ['name = "board"', 'summary = "a board"', "max_key_bytes = 4"]
    assert told(tmp_path, "\n".join(lines)) == ""
    for line in lines:
        missing = f"1: the key '{line.split()[0]}' is missing"
        assert told(tmp_path, "\n".join(other for other in lines if other != line)) == missing
    without = '\nwithout_kernels = ["linear"]\n'
    message = "4: no kernel 'linear' to leave out: this target extends no other"
    assert told(tmp_path, "\n".join(lines) + without) == message


def test_what_is_not_said_is_as_in_the_target_that_is_extended(tmp_path: Path) -> None:
    base, board = tmp_path / "base", tmp_path / "board"
    for folder in (base, board):
        folder.mkdir()
    (base / "target.toml").write_text(
        'name = "base"\nextends = "software"\nsummary = "a base"\narchitectures = ["psa"]\nmax_key_bytes = 9\nnear_bytes = 7\n'
        'hash_algorithms = ["crc16"]\n[[counters]]\nname = "c"\nsize = 1\n'
        '[build]\narch = "armv7"\ncpu = "cortex-a9"\nsysroot = "root"\n[run]\nworkers = 3\ncpus = "1"\n'
    )
    (board / "target.toml").write_text(
        'name = "board"\nextends = "base"\n[[counters]]\nname = "d"\nsize = 2\n'
        '[build]\ncpu = "cortex-a7"\n[run]\nburst = 8\n'
    )
    made = choose("board", tmp_path)
    assert (made.name, made.summary, made.max_key_bytes, made.near_bytes) == ("board", "a base", 9, 7)
    assert (made.architectures, made.hash_algorithms) == ({"psa"}, {"crc16"})
    assert made.counters == (Counter("d", 2), Counter("c", 1))
    assert made.build == BuildDefaults("armv7", cpu="cortex-a7", sysroot=str(base / "root"))
    assert made.run == RunDefaults(workers=3, burst=8, cpus="1")
    assert [name for name, _ in made.folders] == ["board", "base", "software"]
    twice = (board / "target.toml").read_text().replace('"d"', '"c"')
    (board / "target.toml").write_text(twice)
    with pytest.raises(BadTarget) as refused:
        choose("board", tmp_path)
    assert str(refused.value) == f"{board}/target.toml:4: the counter 'c' is there twice"


@pytest.mark.parametrize(("name", "line"), [("c", 7), ("d", 7), ("e", 0)])
def test_a_counter_has_a_name_of_its_own_among_those_of_all_targets_that_are_extended(
    name: str, line: int, tmp_path: Path
) -> None:
    """`c` is the first one's, `d` the second's; the third has two."""
    second, other, own = (COUNTER.replace('"c"', f'"{one}"') for one in ("d", "x", name))
    made = [("first", "software", COUNTER), ("second", "first", second), ("third", "second", other + own)]
    for target, extended, counters in made:
        (tmp_path / target).mkdir()
        (tmp_path / target / "target.toml").write_text(f'name = "{target}"\nextends = "{extended}"\n{counters}')
    if not line:
        assert [counter.name for counter in choose("third", tmp_path).counters] == ["x", "e", "d", "c"]
        return
    with pytest.raises(BadTarget) as refused:
        choose("third", tmp_path)
    assert str(refused.value) == f"{tmp_path}/third/target.toml:{line}: the counter '{name}' is there twice"


def test_one_target_in_a_folder_needs_no_name(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "target.toml").write_text(TOP)
    assert (
        choose(None, tmp_path).name
        == choose("board", tmp_path).name
        == choose("board", tmp_path / "board").name
        == "board"
    )
    with pytest.raises(UnknownTarget) as refused:
        choose("other", tmp_path)
    assert str(refused.value) == "no target 'other': there are board, software"


def test_of_several_targets_in_a_folder_one_is_named(tmp_path: Path) -> None:
    """In full; those that there are are told in the order of their names."""
    for name in ("five", "one", "six", "three", "two", "four"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "target.toml").write_text(TOP.replace("board", name))
    with pytest.raises(UnknownTarget) as refused:
        choose(None, tmp_path)
    which = "say --target NAME; there are five, four, one, six, three, two"
    assert str(refused.value) == f"{tmp_path} has no target.toml: {which}"
    assert choose("four", tmp_path).name == choose(None, tmp_path / "four").name == "four"
    with pytest.raises(UnknownTarget) as refused:
        choose("fou", tmp_path / "four")
    assert str(refused.value) == f"no target 'fou' in {tmp_path}/four: there is 'four'"


@pytest.mark.parametrize(
    ("name", "folder", "message"),
    [
        ("template", True, "nothing looks into this folder: did you mean templates/?"),
        ("Tables", True, "nothing looks into this folder: did you mean tables/?"),
        ("TEMPLATES", True, "nothing looks into this folder: did you mean templates/?"),
        ("labels", True, ""),
        ("template", False, ""), ("templates", True, ""), ("tables", True, ""), ("documents", True, ""),
    ],
)  # fmt: skip
def test_a_folder_that_is_misspelt(name: str, folder: bool, message: str, tmp_path: Path) -> None:
    """A file may have any name."""
    (tmp_path / name).mkdir() if folder else (tmp_path / name).touch()
    assert told(tmp_path, TOP) == (f"{tmp_path / name}: {message}" if message else "")


@pytest.mark.parametrize(
    ("said", "where"), [("root", "board/root"), ("/opt/root", "/opt/root"), ("~/root", "home/root")]
)
def test_where_a_sysroot_is(said: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As seen from the target's folder, not from where the command runs."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("board").mkdir()
    Path("board/target.toml").write_text(TOP + f'[build]\nsysroot = "{said}"\n')
    assert choose(None, Path("board")).build.sysroot == str(tmp_path / where)


def test_methods_are_left_out_of_those_that_are_listed(tmp_path: Path) -> None:
    text = 'externs = ["counter.count", "log.message"]\nwithout_externs = ["log.message"]\n'
    assert told(tmp_path, TOP + text) == ""
    assert choose(None, tmp_path).externs == {"counter.count"}
    message = "4: without_externs has what macsad does not: register.read; see docs/extend/extern.md"
    assert (
        told(tmp_path, TOP + text.replace('without_externs = ["log.message"]', 'without_externs = ["register.read"]'))
        == message
    )


def test_all_targets_are_told_where_one_is_not_there(tmp_path: Path) -> None:
    """Ours, those in the folder, those of packages: each once, in the order of their names."""
    for name in ("zone", "board"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "target.toml").write_text(TOP.replace("board", name))
    known = Known(tmp_path)
    known.installed["rack"] = known.installed["board"] = EntryPoint("rack", "rack", "macsad.targets")
    with pytest.raises(UnknownTarget) as refused:
        known.folder("other")
    assert str(refused.value) == "no target 'other': there are board, rack, software, zone"


def test_two_targets_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "software").mkdir()
    (tmp_path / "software" / "target.toml").write_text('name = "software"\nsummary = "ours"\nmax_key_bytes = 4\n')
    ours = Known(None).folder("software")
    with pytest.raises(BadTarget) as refused:
        choose("software", tmp_path)
    message = f"there is another target 'software' in {ours}: give yours another name"
    assert str(refused.value) == f"{tmp_path / 'software'}: {message}"
