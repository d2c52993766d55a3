"""The services simple_pre and simple_pre_lag: multicast groups, their nodes, link aggregation groups."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from macsad.multicast import multicast_of
from macsad.thrift.described import simple_pre
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.switch import Switch
from macsad.thrift.tables import handle_of


def numbers(bits: str) -> list[int]:
    """What a map of ports names. Raises: Refused."""
    if set(bits) - {"0", "1"}:
        raise Refused(f"'{bits}' is no map")
    return [number for number, bit in enumerate(reversed(bits)) if bit == "1"]


def entries(told: str) -> dict[str, Any]:
    """What mc_dump prints, as BMv2's JSON of it: a node's ports stand apart from it, under a handle of their own."""
    found = multicast_of(told)
    nodes = found.nodes.items()
    return {
        "mgrps": [{"id": group, "l1_handles": handles} for group, handles in found.groups.items()],
        "l1_handles": [{"handle": handle, "rid": node.rid, "l2_handle": handle} for handle, node in nodes],
        "l2_handles": [{"handle": handle, "ports": [*node.ports], "lags": [*node.lags]} for handle, node in nodes],
        "lags": [{"id": lag, "ports": [*ports]} for lag, ports in found.lags.items()],
    }


def _lags(bits: str) -> list[object]:
    lags = numbers(bits)
    return ["|", *lags] if lags else []


def _refuses(method: Callable[..., Any]) -> Callable[..., Any]:
    """As the exceptions of the service that is asked."""

    @functools.wraps(method)
    def answered(self: Pre, cxt_id: int, *arguments: object) -> Any:
        known = self.described
        return refuses(known.InvalidMcOperation, known.McOperationErrorCode)(method)(self, cxt_id, *arguments)

    return answered


class Pre:
    """Either service; simple_pre has no maps of link aggregation groups. `described`: simple_pre or simple_pre_lag."""

    def __init__(self, switch: Switch, described: Any) -> None:
        self.switch, self.described = switch, described

    @_refuses
    def bm_mc_mgrp_create(self, mgrp: int) -> int:
        self.switch.command("mc_mgrp_create", mgrp)
        return mgrp

    @_refuses
    def bm_mc_mgrp_destroy(self, mgrp_handle: int) -> None:
        self.switch.command("mc_mgrp_destroy", mgrp_handle)

    @_refuses
    def bm_mc_node_create(self, rid: int, port_map: str, lag_map: str = "") -> int:
        return handle_of(self.switch.command("mc_node_create", rid, *numbers(port_map), *_lags(lag_map)))

    @_refuses
    def bm_mc_node_associate(self, mgrp_handle: int, l1_handle: int) -> None:
        self.switch.command("mc_node_associate", mgrp_handle, l1_handle)

    @_refuses
    def bm_mc_node_dissociate(self, mgrp_handle: int, l1_handle: int) -> None:
        self.switch.command("mc_node_dissociate", mgrp_handle, l1_handle)

    @_refuses
    def bm_mc_node_destroy(self, l1_handle: int) -> None:
        self.switch.command("mc_node_destroy", l1_handle)

    @_refuses
    def bm_mc_node_update(self, l1_handle: int, port_map: str, lag_map: str = "") -> None:
        self.switch.command("mc_node_update", l1_handle, *numbers(port_map), *_lags(lag_map))

    @_refuses
    def bm_mc_set_lag_membership(self, lag_index: int, port_map: str) -> None:
        self.switch.command("mc_set_lag_membership", lag_index, *numbers(port_map))

    @_refuses
    def bm_mc_get_entries(self) -> str:
        found = entries(self.switch.command("mc_dump"))
        if self.described is simple_pre:
            del found["lags"]
        return json.dumps(found)
