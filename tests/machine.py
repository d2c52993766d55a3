"""A machine's profile, as `macsad profile` writes it, with round numbers."""

from __future__ import annotations

from typing import Any

FOOTPRINTS, FLIGHTS = (1 << 14, 1 << 20, 1 << 26), (0, 1, 8)

MACHINE: dict[str, Any] = {
    "version": 1, "hz": 2e9, "caches": [32768, 1 << 20, 1 << 25], "seconds": 1.0,
    "io": [
        {"length": length, "burst": burst, "cycles": length / 16 + 64 / burst}
        for length in (64, 1024) for burst in (1, 32, 256)
    ],
    "reads": [
        {"pages": pages, "bytes": size, "in_flight": number, "cycles": (10.0 + 40 * n) / max(1, number)}
        for pages in ("huge", "small") for n, size in enumerate(FOOTPRINTS) for number in FLIGHTS
    ],
    "handover": [{"burst": 1, "cycles": 100.0}, {"burst": 32, "cycles": 400.0}],
    "copy": [{"length": 64, "cycles": 4.0}, {"length": 1024, "cycles": 20.0}],
}  # fmt: skip
