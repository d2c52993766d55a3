"""Commands for the switch itself: ports, queues, clone sessions, its program, its state, hashes, time."""

from __future__ import annotations

import subprocess
from pathlib import Path

from macsad.shims.cli.program import NO_PROGRAM, Program
from macsad.shims.cli.session import Session, Words, command
from macsad.shims.cli.wrong import Wrong, at_least, exactly, number
from macsad.thrift.described import simple_switch, standard
from macsad.thrift.entries import signed


@command("", "says hello")
def greet(session: Session, _: Words) -> None:
    session.say("hello")


@command("<command>", "run a command of the shell")
def shell(session: Session, words: Words) -> None:
    session.say(subprocess.run(" ".join(words), shell=True, capture_output=True, text=True, check=False).stdout)


# --- ports ------------------------------------------------------------------------------------------------------------


@command("<iface name> <port num> [pcap path]", "add a port")
def port_add(session: Session, words: Words) -> None:
    at_least(words, 2)
    port = number(words[1], "port_num", ", must be an integer")
    session.standard.bm_dev_mgr_add_port(words[0], port, words[2] if len(words) > 2 else "")


@command("<port num>", "remove a port")
def port_remove(session: Session, words: Words) -> None:
    exactly(words, 1)
    session.standard.bm_dev_mgr_remove_port(number(words[0], "port_num", ", must be an integer"))


@command("", "list the ports")
def show_ports(session: Session, words: Words) -> None:
    exactly(words, 0)
    session.say(f"{'port #':^10}{'iface name':^20}{'status':^10}extra info")
    session.say("=" * 50)
    for port in session.standard.bm_dev_mgr_show_ports():
        status = "UP" if port.is_up else "DOWN"
        extra = "; ".join(f"{name}={value}" for name, value in port.extra.items())
        session.say(f"{port.port_num:^10}{port.iface_name:^20}{status:^10}{extra}")


# --- queues -----------------------------------------------------------------------------------------------------------


def _queues(words: Words, what: str) -> list[int]:
    """What is set, and the port and priority if they are named."""
    at_least(words, 1)
    names = (what, "egress_port", "priority")
    return [number(word, name, ", expected integer") for word, name in zip(words, names, strict=False)]


def _done(code: int) -> None:
    if code:
        raise Wrong("the switch has not done it")


@command("<nb_pkts> [<egress_port> [<priority>]]", "set the depth of queues, of all ports or of one")
def set_queue_depth(session: Session, words: Words) -> None:
    depth, *where = _queues(words, "nb_pkts")
    target = session.target
    ways = (target.set_all_egress_queue_depths, target.set_egress_queue_depth, target.set_egress_priority_queue_depth)
    _done(ways[len(where)](*where, depth))


@command("<rate_pps> [<egress_port> [<priority>]]", "set the rate of queues, of all ports or of one")
def set_queue_rate(session: Session, words: Words) -> None:
    rate, *where = _queues(words, "rate_pps")
    target = session.target
    ways = (target.set_all_egress_queue_rates, target.set_egress_queue_rate, target.set_egress_priority_queue_rate)
    _done(ways[len(where)](*where, rate))


# --- clone sessions ---------------------------------------------------------------------------------------------------


def _two(words: Words, second: str) -> tuple[int, int]:
    exactly(words, 2)
    return number(words[0], "mirror_id", ", expected integer"), number(words[1], second, ", expected integer")


@command("<mirror_id> <egress_port>", "clones of the session go to a port")
def mirroring_add(session: Session, words: Words) -> None:
    mirror, port = _two(words, "egress_port")
    session.target.mirroring_session_add(mirror, simple_switch.MirroringSessionConfig(port=port))


@command("<mirror_id> <mgrp>", "clones of the session go to a multicast group")
def mirroring_add_mc(session: Session, words: Words) -> None:
    mirror, group = _two(words, "mgrp")
    session.target.mirroring_session_add(mirror, simple_switch.MirroringSessionConfig(mgid=group))


@command("<mirror_id>", "forget a clone session")
def mirroring_delete(session: Session, words: Words) -> None:
    exactly(words, 1)
    session.target.mirroring_session_delete(number(words[0], "mirror_id", ", expected integer"))


@command("<mirror_id>", "where clones of a session go")
def mirroring_get(session: Session, words: Words) -> None:
    exactly(words, 1)
    session.say(session.target.mirroring_session_get(number(words[0], "mirror_id", ", expected integer")))


# --- the program and the state ----------------------------------------------------------------------------------------


@command("", "what the switch was started as")
def switch_info(session: Session, words: Words) -> None:
    exactly(words, 0)
    told = session.standard.bm_mgmt_get_info()
    names = [name for _, name, *_ in standard.BmConfig.thrift_spec.values()]
    width = 5 + max(len(name) for name in names)
    for name in names:
        session.say(f"{name:{width}}: {getattr(told, name)}")


@command("", "forget entries, registers, counters, meters, multicast groups")
def reset_state(session: Session, words: Words) -> None:
    exactly(words, 0)
    session.standard.bm_reset_state()


def _write(place: str, text: str) -> None:
    try:
        Path(place).write_text(text)
    except OSError as error:
        raise Wrong(f"{place}: {error.strerror}") from None


@command("<file>", "write the program's JSON to a file")
def write_config_to_file(session: Session, words: Words) -> None:
    exactly(words, 1)
    _write(words[0], session.standard.bm_get_config())


@command("<file>", "write the state to a file, for --restore-state")
def serialize_state(session: Session, words: Words) -> None:
    exactly(words, 1)
    _write(words[0], session.standard.bm_serialize_state())


@command("<path to .json file>", "load another program, for swap_configs")
def load_new_config_file(session: Session, words: Words) -> None:
    exactly(words, 1)
    if not Path(words[0]).is_file():
        raise Wrong("Not a valid filename")
    session.say("Loading new Json config")
    text = Path(words[0]).read_text(errors="replace")
    loaded = _loaded(text) if text.lstrip().startswith("{") or Path(words[0]).suffix != ".p4" else None
    session.standard.bm_load_new_config(text)
    session.program = loaded or Program(session.standard.bm_get_config())


def _loaded(text: str) -> Program:
    try:
        return Program(text)
    except NO_PROGRAM:
        raise Wrong("Not a valid JSON file") from None


@command("", "go on with the program that was loaded")
def swap_configs(session: Session, _: Words) -> None:
    session.say("Swapping configs")
    session.standard.bm_swap_configs()


# --- hashes -----------------------------------------------------------------------------------------------------------


def _unsigned(word: str, bits: int) -> int:
    try:
        value = int(word, 0)
    except ValueError:
        raise Wrong(f"'{word}' is not a number") from None
    if not 0 <= value < 1 << bits:
        raise Wrong(f"Integer cannot fit within {bits} bits")
    return signed(value, bits)


def _flag(word: str) -> bool:
    if word in ("true", "True", "false", "False"):
        return word.lower() == "true"
    try:
        return bool(int(word, 0))
    except ValueError:
        raise Wrong("Invalid bool parameter") from None


def _set_crc(session: Session, words: Words, bits: int) -> None:
    exactly(words, 6)
    if session.program.crcs.get(words[0]) != f"crc{bits}_custom":
        raise Wrong(f"Invalid crc{bits}_custom name ({words[0]})")
    made = standard.BmCrc16Config if bits == 16 else standard.BmCrc32Config
    polynomial, initial, final = (_unsigned(word, bits) for word in words[1:4])
    config = made(
        polynomial=polynomial, initial_remainder=initial, final_xor_value=final,
        data_reflected=_flag(words[4]), remainder_reflected=_flag(words[5]),
    )  # fmt: skip
    client = session.standard
    set_it = client.bm_set_crc16_custom_parameters if bits == 16 else client.bm_set_crc32_custom_parameters
    set_it(0, words[0], config)


_CRC = "<name> <polynomial> <initial remainder> <final xor value> <reflect data?> <reflect remainder?>"


@command(_CRC, "set the parameters of a hash crc16_custom")
def set_crc16_parameters(session: Session, words: Words) -> None:
    _set_crc(session, words, 16)


@command(_CRC, "set the parameters of a hash crc32_custom")
def set_crc32_parameters(session: Session, words: Words) -> None:
    _set_crc(session, words, 32)


@command("<name> <key in hex string>", "set the key of a Toeplitz hash")
def set_toeplitz_hash_key(session: Session, words: Words) -> None:
    exactly(words, 2)
    try:
        key = bytes.fromhex(words[1])
    except ValueError:
        raise Wrong("Toeplitz hash key must be a hex string") from None
    if len(key) % 4:
        raise Wrong("Toeplitz hash key must be a multiple of 4 bytes in length")
    session.standard.bm_set_toeplitz_hash_key(0, words[0], key)


# --- time -------------------------------------------------------------------------------------------------------------


@command("", "microseconds since the switch started")
def get_time_elapsed(session: Session, words: Words) -> None:
    session.say(session.target.get_time_elapsed_us())


@command("", "microseconds since the epoch of the switch's clock")
def get_time_since_epoch(session: Session, words: Words) -> None:
    session.say(session.target.get_time_since_epoch_us())
