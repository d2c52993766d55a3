"""A table's application in C, whole: the entry is looked up or its lookup finished, results are told, an action is run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from transpiler.codegen.apply import Application
from transpiler.codegen.c.nodes import Body, Call, Case, Declare, Do, Member, Name
from transpiler.codegen.c.printer import Printer
from transpiler.codegen.pipeline_views import TableRef

REF = TableRef("t", 3, "struct t_entry", 6, "exact_hash", 1, size=64)
WORDS = replace(REF, words=True, key_bits=48, data_bits=10, action_bits=2, kernel="exact_packed")
LOOKUP = Member(Name("lookup"), "t", arrow=True)


def does(name: str) -> Body:
    return (Do(Call(name, ())),)


def case(name: str) -> Case:
    return Case((Name(f"t_action_{name}"),), does(name), cite=name)


ONE, TWO, THREE = map(case, ("one", "two", "three"))


def applied(table: TableRef = REF, **changes: Any) -> str:
    nothing: dict[str, Any] = {
        "lookup": None, "bulk": False, "comparisons": (), "hit": None, "action": None, "declares": (), "on_hit": (),
        "profile": None, "selection": (),
    }  # fmt: skip
    given = {
        "keys": does("pack"),
        "key_word": Name("k"),
        "actions": (ONE, TWO),
        "missed": does("miss"),
        "cite": "p.p4:1",
    }
    block = Application(table, **nothing | given | changes).lowered()
    assert block.cite == "p.p4:1: t"
    return " ".join(Printer().body(block.body).split())


CURSOR = "struct macs_exact_hash_cursor cursor;"
STARTS = f"uint8_t key[6]; {CURSOR} pack(); macs_exact_hash_start(tables[TABLE_t].state, key, 6, &cursor);"
FINISHES = "(const void *)macs_exact_hash_finish(tables[TABLE_t].state, key, 6, &cursor)"
ENTRY = "const struct t_entry *entry ="
FOUND = f"{STARTS} {ENTRY} {FINISHES};"
LEARNS = (
    "uint8_t missed[6]; if ((const void *)entry == NULL) { miss(); "
    "entry = (const void *)macs_learned(&tables[TABLE_t], missed, entry); }"
)
DEFAULT = "if (!entry) { entry = (const void *)macs_table_default(&tables[TABLE_t]); }"
ONES = "case t_action_one: /* one */ one(); break;"
RUNS = f"switch (entry->head.action) {{ {ONES} case t_action_two: /* two */ default: two(); break; }}"
PROFILES = f"switch (entry->head.action) {{ {ONES} case t_action_two: /* two */ two(); break; default: break; }}"
WORD_CURSOR = "struct macs_exact_packed_cursor cursor;"
WORD_STARTS = f"{WORD_CURSOR} macs_exact_packed_start(tables[TABLE_t].state, k, 48, 10, &cursor);"
WORD_DEFAULT = "if (!found) { word = macs_table_default_word(&tables[TABLE_t]); }"
INDEXED_DEFAULT = WORD_DEFAULT.replace(" }", " own_index = 64; }")
WORD_RUNS = RUNS.replace("entry->head.action", "(uint32_t)(word & 0x3)")
LIKELY = "if (odp_likely(entry->head.action == t_action_{0})) {{ {{ /* {0} */ {0}(); }} }} else {{ {1} }}"


@pytest.mark.parametrize(
    ("made", "c"),
    [
        (applied(), f"{FOUND} {DEFAULT} {RUNS}"),
        (
            applied(hit=Name("hit"), action=Name("ran"), declares=(Declare("int", "d"),), on_hit=does("count")),
            f"{FOUND} hit = entry != NULL; int d; if (entry) {{ count(); }} {DEFAULT} ran = entry->head.action; {RUNS}",
        ),
        (
            applied(replace(REF, may_be_empty=True)),
            f"{ENTRY} NULL; if (!macs_table_is_empty(&tables[TABLE_t])) {{ {STARTS} entry = {FINISHES}; }} {DEFAULT} {RUNS}",
        ),
        (
            applied(replace(REF, key_in_words=True)),
            f"{FOUND} {DEFAULT} {RUNS}".replace("key[6]", "key[8]"),
        ),
        (applied(replace(REF, learns=True)), f"{FOUND} {LEARNS} {DEFAULT} {RUNS}"),
        (applied(replace(REF, compared=True), comparisons=does("compare")), f"{ENTRY} NULL; compare(); {DEFAULT} {RUNS}"),
        (applied(replace(REF, kernel="")), f"{ENTRY} NULL; {DEFAULT} {RUNS}"),
    ],
)  # fmt: skip
def test_an_entry_that_is_looked_up_at_once(made: str, c: str) -> None:
    assert made == c


@pytest.mark.parametrize(
    ("made", "c"),
    [
        (
            applied(lookup=LOOKUP),
            f"{ENTRY} {FINISHES} {DEFAULT} {RUNS}".replace("key, 6, &cursor)", "lookup->t.key, 6, &lookup->t.cursor);"),
        ),
        (
            applied(replace(REF, may_be_empty=True, learns=True), lookup=LOOKUP),
            f"{ENTRY} (const void *)(lookup->t.filled ? macs_exact_hash_finish(tables[TABLE_t].state, lookup->t.key, 6, "
            f"&lookup->t.cursor) : NULL); {LEARNS} {DEFAULT} {RUNS}",
        ),
        (applied(lookup=LOOKUP, followed=True), f"{ENTRY} (const void *)lookup->t.entry; {DEFAULT} {RUNS}"),
        (
            applied(lookup=LOOKUP, bulk=True, hit=Name("hit"), on_hit=does("count")),
            f"{ENTRY} (const void *)lookup->t.entries[at]; hit = (const void *)entry != lookup->t.miss; "
            f"if ((const void *)entry != lookup->t.miss) {{ count(); }} {RUNS}",
        ),
        (
            applied(replace(REF, learns=True), lookup=LOOKUP, bulk=True),
            f"{ENTRY} (const void *)lookup->t.entries[at]; {LEARNS.replace('NULL', 'lookup->t.miss')} {RUNS}",
        ),
    ],
)  # fmt: skip
def test_an_entry_whose_lookup_has_been_started(made: str, c: str) -> None:
    """Of many at once what to run is there in any case: the default entry where nothing was found."""
    assert made == c


@pytest.mark.parametrize(
    ("made", "c"),
    [
        (
            applied(WORDS),
            f"uint64_t word; {WORD_STARTS} bool found = macs_exact_packed_finish(48, 10, &cursor, &word); "
            f"{WORD_DEFAULT} {WORD_RUNS}",
        ),
        (
            applied(replace(WORDS, indexed=True, learns=True, may_be_empty=True), hit=Name("hit"), on_hit=does("count")),
            "uint64_t word; uint32_t own_index; bool found = false; if (!macs_table_is_empty(&tables[TABLE_t])) { "
            f"{WORD_STARTS.replace('_start', '_start_indexed')} "
            "found = macs_exact_packed_finish_indexed(48, 10, &cursor, &word, &own_index); } uint8_t missed[6]; "
            "if (!found) { miss(); found = macs_learned_word(&tables[TABLE_t], missed, &word, &own_index); } "
            f"hit = found; if (found) {{ count(); }} {INDEXED_DEFAULT} {WORD_RUNS}",
        ),
        (
            applied(replace(WORDS, learns=True), lookup=LOOKUP, action=Name("ran")),
            "uint64_t word; bool found = macs_exact_packed_finish(48, 10, &lookup->t.cursor, &word); uint8_t missed[6]; "
            "if (!found) { miss(); uint32_t learned_index; "
            "found = macs_learned_word(&tables[TABLE_t], missed, &word, &learned_index); } "
            f"{WORD_DEFAULT} ran = (uint32_t)(word & 0x3); {WORD_RUNS}",
        ),
        (
            applied(replace(WORDS, indexed=True, may_be_empty=True), lookup=LOOKUP, bulk=True),
            "uint64_t word; uint32_t own_index; const bool found = lookup->t_filled ? "
            "macs_exact_packed_bulk_finish_indexed(&lookup->t, at, 10, &word, &own_index) : false; "
            f"{INDEXED_DEFAULT} {WORD_RUNS}",
        ),
    ],
)  # fmt: skip
def test_an_entry_that_is_a_word(made: str, c: str) -> None:
    assert made == c


@pytest.mark.parametrize(
    ("made", "c"),
    [
        (applied(hottest=0), LIKELY.format("one", "{ /* two */ two(); }")),
        (applied(hottest=1), LIKELY.format("two", "{ /* one */ one(); }")),
        (applied(hottest=0, actions=(ONE,)), RUNS.replace(f"{ONES} ", "").replace("two", "one")),
        (applied(hottest=2, actions=(ONE, TWO, THREE)), LIKELY.format("three", RUNS)),
        (
            applied(hottest=0, actions=(ONE, TWO, THREE)),
            LIKELY.format("one", RUNS.replace("two", "three").replace(ONES, "case t_action_two: /* two */ two(); break;")),
        ),
    ],
)  # fmt: skip
def test_the_action_that_most_packets_run_is_asked_for_first(made: str, c: str) -> None:
    assert made == f"{FOUND} {DEFAULT} {c}"


@pytest.mark.parametrize(
    ("made", "c"),
    [
        (
            applied(profile=Name("profile")),
            f"entry = (const void *)macs_profile_choose(profile, &entry->head, 0); {PROFILES}",
        ),
        (
            applied(profile=Name("profile"), selection=does("select")),
            "uint64_t selected = 0; if (entry->head.action == MACS_INDIRECT_GROUP) { select(); } "
            f"entry = (const void *)macs_profile_choose(profile, &entry->head, selected); {PROFILES}",
        ),
        (
            applied(profile=Name("profile"), chosen=Name("chosen"), action=Name("ran"), selection=does("select")),
            "entry = (const void *)macs_profile_chosen(&chosen); "
            f"ran = entry->head.action == MACS_NO_ACTION ? 0 : entry->head.action; {PROFILES}",
        ),
    ],
)  # fmt: skip
def test_a_member_of_a_profile(made: str, c: str) -> None:
    """A group may be without members: then nothing is run."""
    assert made == f"{FOUND} {DEFAULT} {c}"
