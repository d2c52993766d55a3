"""simple_switch and simple_switch_grpc: runs a program, in BMv2's JSON or in P4, on the interfaces that are named.

The command's process is the parent of the switch, which ends with it, however that ends, and serves Thrift and P4Runtime.
The Thrift port also names the control socket, for `macsad ctl`.
"""

from __future__ import annotations

import argparse
import os
import re
from importlib.metadata import version
from pathlib import Path

from macsad.shims.options import Parser, fail, note
from macsad.shims.ports import DEFAULT_PORT, socket_of

DROP_PORT = 511
BUFFERS = 4096  # packets: many switches run beside each other, of which most have little to do
FRAME = 10240 + 14 + 2 * 4  # bytes: scripts set the MTU to 9500 (p4-utils) or 10240 (PTF), and there may be VLAN tags
WHOLE, WHOLE_FRAME, WHOLE_BUFFERS = "MACSAD_WHOLE", 65535, 1024  # where super-frames are not segmented: in 64 MiB
GRPC = "simple_switch_grpc"
NO_PROGRAM = Path(__file__).with_name("no_program.p4")
_TELLING, _SILENT = ("trace", "debug", "info"), ("warn", "error", "off")  # levels of BMv2's log
_LOG_SIZE, _LOG_FILES = 5 << 20, 3  # its defaults
EVERYWHERE = ("0.0.0.0", "[::]", "")
_USAGE = "%(prog)s [options] (PROGRAM.json | PROGRAM.p4) [-- options of the target]"
# What is understood and has no effect → why, for who asked for it. What asks for less than there is needs no word:
# --log-flush, --disable-swap, --max-port-count, --max-mc-groups, --max-l1-entries, --max-l2-entries.
_WITHOUT_EFFECT = {
    "nanolog": "no events are sent to nanomsg",
    "notifications_addr": "no notifications are sent to nanomsg; digests go to subscribers of the control socket",
    "debugger": "there is no debugger",
    "debugger_addr": "there is no debugger",
}
_REFUSED = {
    "packet_in": "packets are not taken from nanomsg: name interfaces by -i",
    "dp_grpc_server_addr": "packets cannot be injected over gRPC",
    "grpc_server_ssl": "`macsad serve` beside the switch has TLS",
    "grpc_server_with_client_auth": "`macsad serve` beside the switch has TLS",
}


def parser(name: str) -> Parser:
    made = Parser(name, _USAGE, "Runs a program as BMv2's command of this name does (macsad).")
    add = made.add_argument
    add("program", nargs="?", type=Path, help="what `p4c --target bmv2` writes, or P4")
    add("-i", "--interface", action="append", default=[], metavar="N@NAME", help="port N is an interface")
    add("--use-files", type=int, metavar="SECONDS", help="ports are NAME_in.pcap and NAME_out.pcap")
    add("--no-p4", action="store_true", help="begin without a program: a controller sets one")
    add(
        "--thrift-port",
        type=int,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"serve Thrift there, on this host [{DEFAULT_PORT}]",
    )
    add("--device-id", type=int, default=0, metavar="N", help="by which controllers know the switch [0]")
    logs = made.add_mutually_exclusive_group()
    logs.add_argument(
        "--log-file",
        type=Path,
        metavar="FILE",
        help="what becomes of packets, and messages of the program, in FILE.txt",
    )
    logs.add_argument(
        "--log-console",
        action="store_true",
        help="what becomes of packets, on standard output; messages of the program on standard error",
    )
    add(
        "-L", "--log-level", choices=[*_TELLING, *_SILENT], default="trace", help="warn, error, off: no packets [trace]"
    )
    add("--log-file-max-size", type=int, default=_LOG_SIZE, metavar="BYTES", help=f"of FILE.txt [{_LOG_SIZE}]")
    add("--log-file-max-files", type=int, default=_LOG_FILES, metavar="N", help=f"FILE.1.txt, ... [{_LOG_FILES}]")
    add("--dump-packet-data", type=int, default=0, metavar="N", help="the log has the first N bytes of packets [0]")
    add("--pcap", nargs="?", const=".", metavar="DIR", help="write captures of all ports there [.]")
    add(
        "--whole",
        action="store_true",
        default=os.environ.get(WHOLE, "") not in ("", "0"),
        help=f"super-frames of TCP are not segmented; likewise where {WHOLE} is set",
    )
    add("--restore-state", type=Path, metavar="FILE", help="begin with what serialize_state has written")
    add("-v", "--version", action="version", version=f"macsad {version('macsad')}, as {name}")
    add("--json-version", action="version", version="2.24", help="show the version of BMv2's JSON and exit")
    target = made.add_argument_group("options of the target, also behind --")
    target.add_argument("--priority-queues", type=int, metavar="N", help="queues of each port [1]")
    target.add_argument("--drop-port", type=int, metavar="N", help=f"always {DROP_PORT}")
    if name == GRPC:
        target.add_argument(
            "--grpc-server-addr", metavar="ADDR", default="0.0.0.0:9559", help="serve P4Runtime there [0.0.0.0:9559]"
        )
        target.add_argument("--cpu-port", type=int, metavar="N", help="the port of packets from and to controllers")
    else:
        target.add_argument("--enable-swap", action="store_true", help="load_new_config_file, swap_configs")
    _without_effect(made.add_argument_group("have no effect, or ask for what there is"), name)
    _refused_options(made.add_argument_group("are refused"), name)
    return made


def _without_effect(group: argparse._ArgumentGroup, name: str) -> None:
    for option in ("nanolog", "notifications-addr", "debugger-addr"):
        group.add_argument(f"--{option}", metavar="ADDR")
    for option in ("max-port-count", "max-mc-groups", "max-l1-entries", "max-l2-entries"):
        group.add_argument(f"--{option}", type=int, metavar="N")
    for option in ("log-flush", "debugger", *(["disable-swap"] if name == GRPC else [])):
        group.add_argument(f"--{option}", action="store_true")


def _refused_options(group: argparse._ArgumentGroup, name: str) -> None:
    group.add_argument("--packet-in", metavar="ADDR")
    if name == GRPC:
        for option in ("dp-grpc-server-addr", "grpc-server-cacert", "grpc-server-cert", "grpc-server-key"):
            group.add_argument(f"--{option}", metavar="VALUE")
        for option in ("grpc-server-ssl", "grpc-server-with-client-auth"):
            group.add_argument(f"--{option}", action="store_true")


def main(name: str, arguments: list[str]) -> int:
    """Runs until the switch ends; its exit code. 2: wrong usage."""
    asked = parser(name).parse_args([word for word in arguments if word != "--"])
    if (refused := _refused(asked)) is not None:
        return fail(name, refused)
    ports, problem = _ports(asked)
    if problem := problem or _choose_program(asked):
        return fail(name, problem, 2)
    for option, why in _WITHOUT_EFFECT.items():
        if getattr(asked, option, None):
            note(name, f"--{option.replace('_', '-')}: {why}")
    from macsad import cli

    listening = socket_of(asked.thrift_port)
    command = ["run", str(asked.program), *ports, *_options(name, asked), "--thrift", str(asked.thrift_port)]
    return cli.call([*command, "--socket", str(listening), "-o", str(listening.with_suffix(""))])


def _choose_program(asked: argparse.Namespace) -> str:
    """Sets `program`. Returns what is wrong."""
    if asked.program is None and asked.pcap and Path(asked.pcap).is_file():
        asked.program, asked.pcap = Path(asked.pcap), "."  # the folder was left out
    if (asked.program is None) is not asked.no_p4:
        return "--no-p4 and a program" if asked.no_p4 else "name a program, as PROGRAM.json, or give --no-p4"
    asked.program = asked.program or NO_PROGRAM
    missing = (path for path in (asked.program, asked.restore_state) if path and not path.exists())
    return next((f"{path}: no such file" for path in missing), "")


def _options(name: str, asked: argparse.Namespace) -> list[str]:
    """Options of `macsad run`, but for the ports'."""
    buffers, frame = (WHOLE_BUFFERS, WHOLE_FRAME) if asked.whole else (BUFFERS, FRAME)
    words = ["--buffers", str(buffers), "--max-frame", str(frame), "--device-id", str(asked.device_id)]
    if name == GRPC:
        words += _p4runtime(name, asked)
    elif asked.no_p4 or asked.enable_swap:
        words += ["--replaceable"]
    if asked.restore_state:
        words += ["--entries", str(asked.restore_state)]
    if asked.pcap:
        words += ["--pcap", asked.pcap]
    if (asked.priority_queues or 1) > 1:
        words += ["--queues", "--priority-queues", str(asked.priority_queues)]
    return words + _logs(asked)


def _logs(asked: argparse.Namespace) -> list[str]:
    """The options of `macsad run` that tell what becomes of packets. BMv2's log files have a suffix (spdlog)."""
    tells, words = asked.log_level in _TELLING, []
    if asked.log_file:
        file = f"{asked.log_file}.txt"
        words += ["--log", file]
        if tells:
            words += ["--trace", file, "--trace-limit", str(asked.log_file_max_size), str(asked.log_file_max_files)]
    elif asked.log_console and tells:
        words += ["--trace", "-"]
    if "--trace" in words and asked.dump_packet_data > 0:
        words += ["--trace-bytes", str(asked.dump_packet_data)]
    return words


def _refused(asked: argparse.Namespace) -> str | None:
    """What is asked for that would change packets, or that a switch cannot begin with."""
    for option, why in _REFUSED.items():
        if getattr(asked, option, None):
            return f"--{option.replace('_', '-')}: {why}"
    if asked.log_file_max_size < 1 or asked.log_file_max_files < 0:
        return "--log-file-max-size is at least 1, --log-file-max-files at least 0"
    if not 0 <= asked.thrift_port < 1 << 16:
        return f"--thrift-port {asked.thrift_port}: not in 0..65535"
    if asked.drop_port not in (None, DROP_PORT):
        return f"--drop-port: the drop port is {DROP_PORT}"
    return "--use-files: files are read at once; give 0" if asked.use_files else None


def _p4runtime(name: str, asked: argparse.Namespace) -> list[str]:
    """The options of `macsad run` that serve P4Runtime."""
    host, _, port = asked.grpc_server_addr.rpartition(":")
    if host in EVERYWHERE:
        note(name, f"P4Runtime at 127.0.0.1:{port}: other hosts reach `macsad serve --anywhere`")
        host = "127.0.0.1"
    words = ["--p4runtime", f"{host}:{port}"]
    if asked.cpu_port is not None:
        words += ["--cpu-port", str(asked.cpu_port)]
    return [*words, "--await-program"] if asked.no_p4 else words


def _ports(asked: argparse.Namespace) -> tuple[list[str], str]:
    """The ports as `macsad run` has them, or what is wrong with one."""
    words: list[str] = []
    numbers: set[int] = set()
    for text in asked.interface:
        match = re.fullmatch(r"(\d+)@(.+)", text)
        if match is None:
            return [], f"'{text}' is not PORT@INTERFACE"
        number, interface = match.groups()
        if int(number) in numbers:
            return [], f"-i {text}: port {int(number)} is there twice"
        numbers.add(int(number))
        if asked.use_files is not None:
            interface = f"pcap:{interface}_in.pcap,{interface}_out.pcap"
        elif asked.whole and ":" not in interface:
            interface = f"af_packet:{interface},whole"
        words += ["--port", f"{number}={interface}"]
    return words or ["--port", "510=ctl:"], ""
