"""macsad gen"""

from __future__ import annotations

from pathlib import Path

import click

from macsad import compilation, generation
from macsad.compilation import Request
from macsad.options import program_options
from transpiler.traffic.plan import USUAL_ENTRIES


@click.command("gen")
@program_options
@click.option("-o", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("traffic"),
              show_default=True, help="Where entries.txt and packets.pcap go.")  # fmt: skip
@click.option("--entries", type=click.IntRange(1, 1 << 31), default=USUAL_ENTRIES, show_default=True, metavar="N",
              help="Entries a table, or as many as it has room for.")  # fmt: skip
@click.option("--table", "tables", multiple=True, metavar="NAME=N", help="Entries of one table. Once for each table.")
@click.option("--lengths", multiple=True, metavar="[NAME=]WHICH",
              help="Lengths of prefixes: dfz (as in the Internet's IPv4 routing table), 24, 48-64 or 16:1,24:6 (shares). "
                   "Usual: dfz where 32 bits are matched, else from 3/8 to 1/2 of them.")  # fmt: skip
@click.option("--packets", type=click.IntRange(1), default=10_000, show_default=True, metavar="N", help="Frames.")
@click.option("--hit", type=click.FloatRange(0, 1), default=1.0, show_default=True, metavar="RATIO",
              help="Of the frames that reach a table, how many hit an entry of it.")  # fmt: skip
@click.option("--flows", default="uniform", show_default=True, metavar="WHICH",
              help="uniform: all flows alike; zipf:S: the k-th has a share of 1/k^S; one.")  # fmt: skip
@click.option("--size", default="64", show_default=True, metavar="BYTES|imix",
              help="Of a frame, without frame check sequence; imix: 64, 594 and 1518 as 7 : 4 : 1.")  # fmt: skip
@click.option("--ports", type=click.IntRange(2, 256), default=2, show_default=True, metavar="N",
              help="Ports of the switch: frames go out of those that they do not come in at.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 255), default=0, show_default=True, metavar="N",
              help="The port that frames come in at.")  # fmt: skip
@click.option("--replies", is_flag=True,
              help="Also make replies.pcap: what answers these frames, for the other port. For programs that let replies pass "
                   "behind what they answer.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, metavar="N",
              help="The same numbers give the same files; others give others.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON what was made.")
def command(
    folder: Path, entries: int, tables: tuple[str, ...], lengths: tuple[str, ...], packets: int, hit: float, flows: str,
    size: str, ports: int, port: int, replies: bool, seed: int, as_json: bool, **program: object,
) -> None:  # fmt: skip
    """Make table entries for PROGRAM and traffic that hits them: DIR/entries.txt and DIR/packets.pcap.

    Keys, frames and what they must have in them are found in the program itself, by trying frames on the interpreter.
    Tables with constant entries stay as they are; tables that no frame was found for are told of and left empty.

    \b
    macsad gen l3fwd.p4 --table routes=1000000 --lengths dfz --packets 1000000 -o traffic
    macsad run l3fwd.p4 --entries traffic/entries.txt --port 0=pcap:traffic/packets.pcap --port 1=null:
    """
    request = Request.of(program)
    hlir = compilation.load(request)
    order = generation.Order(folder, entries, tables, lengths, packets, hit, flows, size, ports, port, seed, replies)
    generation.run(request, hlir, order, as_json=as_json)
