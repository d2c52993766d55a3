"""Commands for multicast groups and link aggregation groups."""

from __future__ import annotations

import json
from typing import Any

from macsad.shims.cli.session import Session, Words, command
from macsad.shims.cli.values import port_map
from macsad.shims.cli.wrong import Wrong, at_least, exactly, number


def _pre(session: Session) -> Any:
    if session.multicast is None:
        raise Wrong("Cannot execute this command without packet replication engine")
    return session.multicast


def _group(word: str) -> int:
    return number(word, "multicast group id")


def _node(word: str) -> int:
    return number(word, "node handle")


def _maps(session: Session, words: Words) -> list[str]:
    """Of ports and, where there are these, of link aggregation groups."""
    at = words.index("|") if "|" in words else len(words)
    ports = port_map(words[:at])
    return [ports, port_map(words[at + 1 :], "lag")] if session.lags else [ports]


@command("<group id>", "create a multicast group")
def mc_mgrp_create(session: Session, words: Words) -> None:
    pre = _pre(session)
    exactly(words, 1)
    group = _group(words[0])
    session.say("Creating multicast group", group)
    pre.bm_mc_mgrp_create(0, group)


@command("<group id>", "destroy a multicast group")
def mc_mgrp_destroy(session: Session, words: Words) -> None:
    pre = _pre(session)
    exactly(words, 1)
    group = _group(words[0])
    session.say("Destroying multicast group", group)
    pre.bm_mc_mgrp_destroy(0, group)


@command("<rid> <ports> [ | <lags> ]", "create a node: copies of this rid, one a port")
def mc_node_create(session: Session, words: Words) -> None:
    pre = _pre(session)
    at_least(words, 1)
    rid, maps = number(words[0], "rid"), _maps(session, words[1:])
    if session.lags:
        session.say("Creating node with rid", rid, ", port map", maps[0], "and lag map", maps[1])
    else:
        session.say("Creating node with rid", rid, "and with port map", maps[0])
    session.say("node was created with handle", pre.bm_mc_node_create(0, rid, *maps))


@command("<node handle> <ports> [ | <lags> ]", "change the ports of a node")
def mc_node_update(session: Session, words: Words) -> None:
    pre = _pre(session)
    at_least(words, 2)
    node, maps = _node(words[0]), _maps(session, words[1:])
    lags = ["and lag map", maps[1]] if session.lags else []
    session.say("Updating node", node, "with port map", maps[0], *lags)
    pre.bm_mc_node_update(0, node, *maps)


@command("<group handle> <node handle>", "put a node into a group")
def mc_node_associate(session: Session, words: Words) -> None:
    pre = _pre(session)
    exactly(words, 2)
    group, node = _group(words[0]), _node(words[1])
    session.say("Associating node", node, "to multicast group", group)
    pre.bm_mc_node_associate(0, group, node)


@command("<group handle> <node handle>", "take a node out of a group")
def mc_node_dissociate(session: Session, words: Words) -> None:
    pre = _pre(session)
    exactly(words, 2)
    group, node = _group(words[0]), _node(words[1])
    session.say("Dissociating node", node, "from multicast group", group)
    pre.bm_mc_node_dissociate(0, group, node)


@command("<node handle>", "destroy a node")
def mc_node_destroy(session: Session, words: Words) -> None:
    pre = _pre(session)
    exactly(words, 1)
    node = _node(words[0])
    session.say("Destroying node", node)
    pre.bm_mc_node_destroy(0, node)


@command("<lag index> <ports>", "set the ports of a link aggregation group")
def mc_set_lag_membership(session: Session, words: Words) -> None:
    pre = _pre(session)
    if not session.lags:
        raise Wrong("Cannot execute this command with this type of PRE, SimplePreLAG is required")
    at_least(words, 2)
    lag, ports = number(words[0], "lag index"), port_map(words[1:], "lag")
    session.say("Setting lag membership:", lag, "<-", ports)
    pre.bm_mc_set_lag_membership(0, lag, ports)


def _listed(numbers: list[int]) -> str:
    return ", ".join(str(one) for one in numbers)


@command("", "show all groups")
def mc_dump(session: Session, words: Words) -> None:
    told = json.loads(_pre(session).bm_mc_get_entries(0))
    nodes = {one["handle"]: one for one in told["l1_handles"]}
    copies = {one["handle"]: one for one in told["l2_handles"]}
    session.say("==========")
    session.say("MC ENTRIES")
    for group in told["mgrps"]:
        session.say("**********")
        session.say(f"mgrp({group['id']})")
        for handle in group["l1_handles"]:
            node = nodes[handle]
            to = copies[node["l2_handle"]]
            ports = f"(ports=[{_listed(to['ports'])}], lags=[{_listed(to['lags'])}])"
            session.say(f"  -> (L1h={handle}, rid={node['rid']}) -> {ports}")
    session.say("==========")
    session.say("LAGS")
    if "lags" not in told:
        session.say("None for this PRE type")
    for lag in told.get("lags", ()):
        session.say(f"lag({lag['id']}) -> ports=[{_listed(lag['ports'])}]")
    session.say("==========")
