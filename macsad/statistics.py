"""A switch's statistics for people: a line a port with what it has received and sent and how fast, what was dropped and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transpiler.shown import shown

Statistics = Mapping[str, Any]  # as the control protocol's STATS has them: docs/control.md
WIDTH = 80  # of lines, unless a port's name makes them longer
_NAME = 14


def table(now: Statistics, before: Statistics | None, width: int | None = None) -> str:
    """Lines of at most `width` columns (names are cut), of any length without. Rates are since `before`: none without it."""
    seconds = now["seconds"] - before["seconds"] if before else 0.0
    names = [shown(str(port["name"])) for port in now["ports"]]
    room = max([len("name"), *map(len, names)])
    room = room if width is None else max(4, min(room, width - (WIDTH - _NAME)))
    lines = [
        f"{'port':>4}  {'name':<{room}} {'received':>13} {'pps':>7} {'bit/s':>7} {'sent':>13} {'pps':>7} {'bit/s':>7}"
    ]
    old = {port["port"]: port for port in before["ports"]} if before else {}
    for port, name in zip(now["ports"], names, strict=True):
        cells = [f"{port['port']:>4}  {_cut(name, room):<{room}}"]
        for way in ("rx", "tx"):
            packets, octets = f"{way}_packets", f"{way}_bytes"
            earlier = old.get(port["port"])
            cells += [
                f"{port[packets]:>13,}",
                f"{_rate(port, earlier, packets, seconds):>7}",
                f"{_rate(port, earlier, octets, seconds, 8):>7}",
            ]
        lines.append(" ".join(cells))
    after = [*_sums(now, before, seconds), *_kept(now), *_ways(now), _batch(now), *_placement(now)]
    return "\n".join([*lines, *after]) + "\n"


def _kept(now: Statistics) -> list[str]:
    """The loops of the program that hold workers in one burst for long, or did."""
    return [
        f"worker {one['worker']} {'has been' if one['now'] else 'was'} in one burst for {one['seconds']:.1f} s, "
        f"in a loop at {shown(one['at'])}"
        for one in now.get("kept", ())
    ]


def _ways(now: Statistics) -> list[str]:
    """How tables are looked up whose entries allow a shorter way than others."""
    ways: dict[str, list[str]] = {}
    for name, way in now.get("ways", {}).items():
        ways.setdefault(way, []).append(shown(name))
    return [f"looked up by {way}: {', '.join(names)}" for way, names in sorted(ways.items())]


def _batch(now: Statistics) -> str:
    """B and b as they are, and how often the switch has changed them by itself."""
    adapt = now["adapt"]
    how = ("adapt searches" if adapt["searching"] else "adapt on") if adapt["on"] else "adapt off"
    changes = f", {adapt['changes']:,} changes in {adapt['searches']:,} searches" if adapt["searches"] else ""
    return f"burst {now['burst']}, sub-batch {now['sub_batch']}; {how}{changes}"


def _placement(now: Statistics) -> list[str]:
    """Where the parts of a program run that is cut, and how often the switch has changed that by itself."""
    placement = now.get("placement", {})
    if len(workers := placement.get("part_workers", ())) < 2:
        return []
    each = "all parts on each worker" if placement["cloned"] else f"parts on {' + '.join(map(str, workers))} workers"
    how = "tries" if placement["trying"] else "on" if placement["fall_back"] else "off"
    changes = f", {placement['changes']:,} changes in {placement['trials']:,} trials" if placement["trials"] else ""
    return [f"{each}; fall-back {how}{changes}"]


def _sums(now: Statistics, before: Statistics | None, seconds: float) -> list[str]:
    """What became of all packets, why some were dropped, and for how many there was no room as they came."""
    lines = [
        f"received {now['received']:,} + copies {now['copies']:,} = sent {now['sent']:,} + dropped {now['dropped']:,}"
    ]
    if (cache := now.get("decisions")) is not None:
        lines.append(
            f"decisions: {cache['found']:,} found, {cache['not_found']:,} not found, "
            f"{cache['not_looked_up']:,} not looked up"
        )
    for what, count in _losses(now).items():
        if count:
            old = _losses(before).get(what, 0) if before else 0
            rate = f", {_scaled((count - old) / seconds)} a second" if seconds > 0 else ""
            lines.append(f"{what}: {count:,}{rate}")
    return lines


def _losses(now: Statistics) -> dict[str, int]:
    causes = {f"dropped, {cause}": count for cause, count in now["drops"].items()}
    places = {f"dropped at {shown(place)}": count for place, count in now["dropped_at"].items()}
    return causes | places | {f"missed, port {port['port']}": port["rx_missed"] for port in now["ports"]}


def _rate(port: Statistics, earlier: Statistics | None, what: str, seconds: float, factor: int = 1) -> str:
    if earlier is None or seconds <= 0:
        return "-"
    return _scaled((port[what] - earlier[what]) * factor / seconds)


def _scaled(value: float) -> str:
    """Three digits and a unit: 0, 999, 1.23k, 45.6M."""
    for unit in ("", "k", "M", "G", "T"):
        if abs(value) < 999.5 or unit == "T":
            digits = 0 if not unit else 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
            return f"{value:.{digits}f}{unit}"
        value /= 1000
    raise AssertionError


def _cut(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"
