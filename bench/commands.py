"""How long commands take at n, 10 n and 100 n entries, and how long the switch lets others wait meanwhile.

    bench/commands.py [N] [SWITCH]      N: 1000 unless told; SWITCH: bench/commands.p4, made already

Each row is a batch of n commands over the socket, or one command on n entries: the CPU time of the thread that serves
them. A command that is near-linear takes about
100 times as long in the last column as in the first; what takes more than 200 times as long is marked.
"""

from __future__ import annotations

import ipaddress
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from macsad.control import Client

ROOT = Path(__file__).parents[1]
STEPS = (1, 10, 100)
QUADRATIC = 200  # from n to 100 n; 100 is linear
NOISE_S = 0.01  # a step that takes less says nothing
GROUPS = 65000  # there are no more


@dataclass(frozen=True)
class Row:
    name: str
    lines: Callable[[int], Iterator[str]]
    limit: int = 1 << 30  # entries that there can be


def adds(table: str, key: Callable[[int], str], priority: bool = False) -> Callable[[int], Iterator[str]]:
    return lambda n: (f"table_add {table} forward {key(i)} => 1{f' {i}' if priority else ''}" for i in range(n))


def repeated(form: str) -> Callable[[int], Iterator[str]]:
    return lambda n: (form.format(i=i) for i in range(n))


def once(line: str) -> Callable[[int], Iterator[str]]:
    return lambda n: iter([line])


def spread(i: int) -> int:
    """Different numbers of 32 bits, in no order."""
    return i * 2654435761 % (1 << 32)


def prefix(i: int) -> str:
    return f"{spread(i >> 1) & 0xFFFFFF00 | i & 1}/{32 if i & 1 else 24}"


TABLES = [
    ("by_exact", adds("by_exact", lambda i: str(spread(i)))),
    ("by_prefix", adds("by_prefix", lambda i: f"{ipaddress.IPv4Address(i << 8)}/24")),
    ("by_long_prefix", adds("by_long_prefix", lambda i: f"{ipaddress.IPv6Address(0x20 << 120 | spread(i) << 64)}/64")),
    ("by_ternary", adds("by_ternary", lambda i: f"{spread(i)}&&&{0xFFFFFFFF << i % 16 & 0xFFFFFFFF}", True)),
    ("by_range", adds("by_range", lambda i: f"{i % 7000}->{i % 7000 + i % 57000} {i}", True)),
    ("by_optional", adds("by_optional", lambda i: str(spread(i)), True)),
]


def table_rows(table: str, add: Callable[[int], Iterator[str]]) -> Iterator[Row]:
    yield Row(f"table_add {table}", add)
    yield Row(f"table_num_entries {table}, first", once(f"table_num_entries {table}"))
    yield Row(f"table_dump {table}", once(f"table_dump {table}"))
    yield Row(f"table_dump_entry {table}", repeated(f"table_dump_entry {table} {{i}}"))
    yield Row(f"table_modify {table}", repeated(f"table_modify {table} forward {{i}} 2"))
    yield Row(f"table_delete {table}", repeated(f"table_delete {table} {{i}}"))
    yield Row(f"table_add {table}, again", add)
    yield Row(f"table_clear {table}", once(f"table_clear {table}"))


def state_rows() -> Iterator[Row]:
    yield Row("counter_write", repeated("counter_write counts {i} 1 1"))
    yield Row("counter_read", repeated("counter_read counts {i}"))
    yield Row("counter_reset (1 M elements)", once("counter_reset counts"))
    yield Row("register_write", repeated("register_write memory {i} 1"))
    yield Row("register_read", repeated("register_read memory {i}"))
    yield Row("register_read, all (1 M elements)", once("register_read memory"))
    yield Row("register_reset (1 M elements)", once("register_reset memory"))
    yield Row("meter_set_rates", repeated("meter_set_rates rates {i} 1:1 2:2"))
    yield Row("meter_get_rates", repeated("meter_get_rates rates {i}"))
    yield Row("meter_array_set_rates (1 M elements)", once("meter_array_set_rates rates 1:1 2:2"))


def multicast_rows() -> Iterator[Row]:
    yield Row("mc_mgrp_create", lambda n: (f"mc_mgrp_create {i + 1}" for i in range(n)), GROUPS)
    yield Row("mc_node_create", repeated("mc_node_create 1 {i} 65535"), GROUPS)
    yield Row("mc_node_update", repeated("mc_node_update {i} {i}"), GROUPS)
    yield Row("mc_node_associate, a group each", lambda n: (f"mc_node_associate {i + 1} {i}" for i in range(n)), GROUPS)
    yield Row("mc_dump", once("mc_dump"))
    yield Row("mc_node_dissociate, a group each",
              lambda n: (f"mc_node_dissociate {i + 1} {i}" for i in range(n)), GROUPS)  # fmt: skip
    yield Row("mc_node_associate, all in one", repeated("mc_node_associate 1 {i}"), GROUPS)
    yield Row("mc_node_update, all in one", repeated("mc_node_update {i} {i} 65534"), GROUPS)
    yield Row("mc_node_dissociate, all in one", repeated("mc_node_dissociate 1 {i}"), GROUPS)
    yield Row("mc_node_destroy", repeated("mc_node_destroy {i}"), GROUPS)
    yield Row("mc_mgrp_destroy", lambda n: (f"mc_mgrp_destroy {i + 1}" for i in range(n)), GROUPS)
    yield Row("mirroring_add", repeated("mirroring_add {i} 1"), 32768)
    yield Row("mirroring_get", repeated("mirroring_get {i}"), 32768)
    yield Row("mirroring_delete", repeated("mirroring_delete {i}"), 32768)


def profile_rows() -> Iterator[Row]:
    for table, profile in (("by_member", "profile"), ("by_group", "selector")):
        yield Row(f"act_prof_create_member {profile}", repeated(f"act_prof_create_member {profile} forward 1"))
        yield Row(f"act_prof_modify_member {profile}", repeated(f"act_prof_modify_member {profile} forward {{i}} 2"))
        yield Row(f"table_indirect_add {table}", repeated(f"table_indirect_add {table} {{i}} => {{i}}"))
        yield Row(f"table_clear {table}", once(f"table_clear {table}"))
    yield Row("act_prof_create_group", repeated("act_prof_create_group selector"))
    yield Row("act_prof_add_member_to_group, a group each", repeated("act_prof_add_member_to_group selector {i} {i}"))
    yield Row("table_indirect_add_with_group", repeated("table_indirect_add_with_group by_group {i} => {i}"))
    yield Row("act_prof_remove_member_from_group, a group each",
              repeated("act_prof_remove_member_from_group selector {i} {i}"))  # fmt: skip
    yield Row("act_prof_add_member_to_group, all in one", repeated("act_prof_add_member_to_group selector {i} 0"))
    yield Row("act_prof_remove_member_from_group, all in one",
              repeated("act_prof_remove_member_from_group selector {i} 0"))  # fmt: skip
    yield Row("act_prof_delete_group", repeated("act_prof_delete_group selector {i}"))
    yield Row("act_prof_delete_member profile", repeated("act_prof_delete_member profile {i}"))
    yield Row("act_prof_delete_member selector", repeated("act_prof_delete_member selector {i}"))


def set_rows() -> Iterator[Row]:
    yield Row("pvs_add", repeated("pvs_add types {i}"), 4096)
    yield Row("pvs_get", once("pvs_get types"))
    yield Row("pvs_remove", repeated("pvs_remove types {i}"), 4096)


def all_rows() -> list[Row]:
    rows = [row for table, add in TABLES for row in table_rows(table, add)]
    return [*rows, *state_rows(), *multicast_rows(), *profile_rows(), *set_rows()]


@dataclass(frozen=True)
class Measured:
    seconds: float
    failed: str  # the first failure


def cpu_seconds(thread: int) -> float:
    return int(Path(f"/proc/{thread}/schedstat").read_text().split()[0]) / 1e9


def measure(switch: Path, n: int, folder: Path, rows: list[Row]) -> list[Measured]:
    """All rows with n entries, one after the other."""
    process = subprocess.Popen([str(switch), "--port=0=ctl:", f"--socket={folder}/socket"], stdout=subprocess.DEVNULL)
    results = []
    try:
        with Client.wait(folder / "socket", timeout=600) as client:
            for row in rows:
                lines = list(row.lines(min(n, row.limit)))
                begin = cpu_seconds(process.pid)
                reply = client.bulk(lines, keep_going=True)
                results.append(
                    Measured(cpu_seconds(process.pid) - begin, reply.text.partition("\n")[0] if reply.failed else "")
                )
    finally:
        process.terminate()
        process.wait(60)
    return results


def report(n: int, rows: list[Row], columns: list[list[Measured]]) -> None:
    print(f"{'seconds for':50}" + "".join(f"{n * step:>12,}" for step in STEPS))
    for row, *steps in zip(rows, *columns, strict=True):
        first, last = (max(steps[at].seconds, NOISE_S / QUADRATIC) for at in (0, -1))
        scaled = min(n * STEPS[-1], row.limit) / min(n, row.limit)
        marked = last > NOISE_S and last / first > QUADRATIC / STEPS[-1] * scaled
        failed = next((step.failed for step in steps if step.failed), "")
        print(
            f"{row.name:50}" + "".join(f"{step.seconds:12.4f}" for step in steps), "  <--" * marked, failed, flush=True
        )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows = [row for row in all_rows() if len(sys.argv) < 4 or sys.argv[3] in row.name]
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            switch = Path(sys.argv[2])
        else:
            build = [str(Path(sys.executable).with_name("macsad")), "build", str(ROOT / "bench/commands.p4")]
            subprocess.run([*build, "-o", folder], check=True)
            switch = Path(folder) / "commands"
        report(n, rows, [measure(switch, n * step, Path(folder), rows) for step in STEPS])


if __name__ == "__main__":
    main()
