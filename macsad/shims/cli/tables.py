"""Commands for tables."""

from __future__ import annotations

from macsad.shims.cli.profiles import say_profile
from macsad.shims.cli.program import Action, Profile, Table
from macsad.shims.cli.session import Session, Words, command, say_action
from macsad.shims.cli.values import dumped_param, match_key, runtime_data, shown, shown_param
from macsad.shims.cli.wrong import Wrong, at_least, exactly, number
from macsad.thrift.described import Struct, standard


def _action(session: Session, table: Table, word: str, said: str) -> Action:
    try:
        action = session.program.actions.find(word)
    except Wrong:
        action = None
    if action is None or action.name not in table.actions:
        raise Wrong(f"Table {said} has no action {word}")
    return action


def _one_table(session: Session, words: Words) -> Table:
    exactly(words, 1)
    return session.program.tables.find(words[0])


def _priority(table: Table, words: Words) -> tuple[Words, int]:
    """The words before the priority, and it: 0 in tables that have none."""
    if not table.has_priority:
        return words, 0
    try:
        return words[:-1], int(words[-1])
    except ValueError:
        raise Wrong("Table is ternary, but could not extract a valid priority from args") from None


def _parted(words: Words) -> tuple[Words, Words]:
    """What stands before `=>`, and behind."""
    at = words.index("=>") if "=>" in words else len(words)
    return words[:at], words[at + 1 :]


def _behind_arrow(words: Words) -> Words:
    return words[1:] if words[:1] == ["=>"] else words


def _options(priority: int) -> Struct:
    return standard.BmAddEntryOptions(priority=priority)


# --- what there is ----------------------------------------------------------------------------------------------------


@command("", "list the tables")
def show_tables(session: Session, words: Words) -> None:
    exactly(words, 0)
    for name in sorted(session.program.tables):
        session.say(session.program.tables[name])


@command("", "list the actions")
def show_actions(session: Session, words: Words) -> None:
    exactly(words, 0)
    _say_actions(session, session.program.actions)


def _say_actions(session: Session, actions: dict[str, Action]) -> None:
    for name in sorted(actions):
        session.say(actions[name])


@command("<table name>", "list the actions of a table", "tables")
def table_show_actions(session: Session, words: Words) -> None:
    _say_actions(session, _one_table(session, words).actions)


@command("<table name>", "key and actions of a table", "tables")
def table_info(session: Session, words: Words) -> None:
    table = _one_table(session, words)
    session.say(table)
    session.say("*" * 80)
    _say_actions(session, table.actions)


@command("<table name>", "how many entries a table has", "tables")
def table_num_entries(session: Session, words: Words) -> None:
    session.say(session.standard.bm_mt_get_num_entries(0, _one_table(session, words).name))


# --- changes ----------------------------------------------------------------------------------------------------------


@command("<table name> <action name> <match fields> => <action parameters> [priority]", "add an entry", "tables")
def table_add(session: Session, words: Words) -> None:
    at_least(words, 3)
    said, name = words[:2]
    table = session.program.tables.find(said)
    action = _action(session, table, name, said)
    behind, priority = _priority(table, words[2:])
    fields, parameters = _parted(behind)
    if len(fields) != len(table.key):
        raise Wrong(f"Table {said} needs {len(table.key)} key fields")
    data, key = runtime_data(action, parameters), match_key(table, fields)
    session.say("Adding entry to", table.kind, "match table", said)
    session.say(f"{'match key:':20} {'	'.join(shown_param(one) for one in key)}")
    session.say(f"{'action:':20} {name}")
    session.say(f"{'runtime data:':20} {'	'.join(shown(one) for one in data)}")
    handle = session.standard.bm_mt_add_entry(0, table.name, key, action.name, data, _options(priority))
    session.say("Entry has been added with handle", handle)


@command("<table name> <action name> <entry handle> [action parameters]", "change the action of an entry", "tables")
def table_modify(session: Session, words: Words) -> None:
    at_least(words, 3)
    table = session.program.tables.find(words[0])
    action = _action(session, table, words[1], words[0])
    handle = number(words[2], "entry handle")
    data = runtime_data(action, _behind_arrow(words[3:]))
    session.say("Modifying entry", handle, "for", table.kind, "match table", words[0])
    session.standard.bm_mt_modify_entry(0, table.name, handle, action.name, data)


@command("<table name> <entry handle>", "delete an entry", "tables")
def table_delete(session: Session, words: Words) -> None:
    exactly(words, 2)
    table, handle = session.program.tables.find(words[0]), number(words[1], "entry handle")
    session.say("Deleting entry", handle, "from", words[0])
    session.standard.bm_mt_delete_entry(0, table.name, handle)


@command("<table name>", "delete all entries; the default entry stays", "tables")
def table_clear(session: Session, words: Words) -> None:
    session.standard.bm_mt_clear_entries(0, _one_table(session, words).name, False)


@command("<table name> <action name> <action parameters>", "set what packets do that miss", "tables")
def table_set_default(session: Session, words: Words) -> None:
    at_least(words, 2)
    table = session.program.tables.find(words[0])
    action = _action(session, table, words[1], words[0])
    if len(words[2:]) != len(action.params):
        raise Wrong(f"Action {words[1]} needs {len(action.params)} parameters")
    data = runtime_data(action, words[2:])
    session.say("Setting default action of", words[0])
    session.say(f"{'action:':20} {words[1]}")
    session.say(f"{'runtime data:':20} {'	'.join(shown(one) for one in data)}")
    session.standard.bm_mt_set_default_action(0, table.name, action.name, data)


@command("<table name>", "set the default entry as the program has it", "tables")
def table_reset_default(session: Session, words: Words) -> None:
    session.standard.bm_mt_reset_default_entry(0, _one_table(session, words).name)


@command("<table name> <entry handle> <timeout (ms)>", "how long an entry may be idle; the table needs support_timeout",
         "tables")  # fmt: skip
def table_set_timeout(session: Session, words: Words) -> None:
    exactly(words, 3)
    table = session.program.tables.find(words[0])
    if not table.support_timeout:
        raise Wrong(f"Table {words[0]} does not support entry timeouts")
    handle, timeout = number(words[1], "entry handle"), number(words[2], "timeout")
    session.say("Setting a", timeout, "ms timeout for entry", handle)
    session.standard.bm_mt_set_entry_ttl(0, table.name, handle, timeout)


# --- indirect tables --------------------------------------------------------------------------------------------------


def _indirect(session: Session, word: str, selecting: bool = False) -> tuple[Table, Profile]:
    table = session.program.tables.find(word)
    if table.profile is None or (selecting and not table.profile.selecting):
        which = ", or on indirect table with no selector" if selecting else ""
        raise Wrong(f"Cannot run this command on non-indirect table{which}")
    return table, table.profile


def _add_indirect(session: Session, words: Words, selecting: bool) -> None:
    at_least(words, 2)
    table, _ = _indirect(session, words[0], selecting)
    behind, priority = _priority(table, words[1:])
    fields, handles = _parted(behind)
    if len(handles) != 1:
        raise Wrong("Invalid arguments, could not find handle")
    handle, key = number(handles[0], "handle"), match_key(table, fields)
    session.say("Adding entry to indirect match table", table.name)
    add = session.standard.bm_mt_indirect_ws_add_entry if selecting else session.standard.bm_mt_indirect_add_entry
    session.say("Entry has been added with handle", add(0, table.name, key, handle, _options(priority)))


@command("<table name> <match fields> => <member handle> [priority]", "add an entry that names a member", "tables")
def table_indirect_add(session: Session, words: Words) -> None:
    _add_indirect(session, words, False)


@command("<table name> <match fields> => <group handle> [priority]", "add an entry that names a group", "tables")
def table_indirect_add_with_group(session: Session, words: Words) -> None:
    _add_indirect(session, words, True)


@command("<table name> <entry handle>", "delete an entry", "tables")
def table_indirect_delete(session: Session, words: Words) -> None:
    exactly(words, 2)
    table, _ = _indirect(session, words[0])
    handle = number(words[1], "entry handle")
    session.say("Deleting entry", handle, "from", words[0])
    session.standard.bm_mt_indirect_delete_entry(0, table.name, handle)


@command("<table name> <member handle>", "let the default entry name a member", "tables")
def table_indirect_set_default(session: Session, words: Words) -> None:
    exactly(words, 2)
    table, _ = _indirect(session, words[0])
    session.standard.bm_mt_indirect_set_default_member(0, table.name, number(words[1], "handle"))


@command("<table name> <group handle>", "let the default entry name a group", "tables")
def table_indirect_set_default_with_group(session: Session, words: Words) -> None:
    exactly(words, 2)
    table, _ = _indirect(session, words[0], True)
    session.standard.bm_mt_indirect_ws_set_default_group(0, table.name, number(words[1], "handle"))


@command("<table name>", "set the default entry as the program has it", "tables")
def table_indirect_reset_default(session: Session, words: Words) -> None:
    session.standard.bm_mt_indirect_reset_default_entry(0, _one_table(session, words).name)


# --- dumps ------------------------------------------------------------------------------------------------------------


def _say_entry(session: Session, table: Table, entry: Struct) -> None:
    session.say(f"Dumping entry {hex(entry.entry_handle)}")
    session.say("Match key:")
    width = max(20, *(len(field.name) for field in table.key), 0)
    for field, param in zip(table.key, entry.match_key, strict=False):
        session.say(f"* {field.name:{width}}: {field.kind.upper():10}{dumped_param(param)}")
    priority = entry.options.priority
    if priority is not None and priority >= 0:
        session.say(f"Priority: {priority}")
    say_action(session, entry.action_entry)
    if entry.life is not None:
        session.say(f"Life: {entry.life.time_since_hit_ms}ms since hit, timeout is {entry.life.timeout_ms}ms")


@command("<table name> <entry handle>", "show an entry", "tables")
def table_dump_entry(session: Session, words: Words) -> None:
    exactly(words, 2)
    table = session.program.tables.find(words[0])
    _say_entry(session, table, session.standard.bm_mt_get_entry(0, table.name, number(words[1], "entry handle")))


@command("<table name> <match fields> [priority]", "show the entry that has this key", "tables")
def table_dump_entry_from_key(session: Session, words: Words) -> None:
    at_least(words, 1)
    table = session.program.tables.find(words[0])
    fields, priority = _priority(table, words[1:]) if len(words) > 1 else ([], 0)
    key = match_key(table, fields)
    _say_entry(session, table, session.standard.bm_mt_get_entry_from_key(0, table.name, key, _options(priority)))


@command("<table name>", "show all entries, with the members and groups of the table's profile", "tables")
def table_dump(session: Session, words: Words) -> None:
    table = _one_table(session, words)
    session.say("==========")
    session.say("TABLE ENTRIES")
    for entry in session.standard.bm_mt_get_entries(0, table.name):
        session.say("**********")
        _say_entry(session, table, entry)
    if table.profile is not None:
        say_profile(session, table.profile)
    default = session.standard.bm_mt_get_default_entry(0, table.name)
    session.say("==========")
    session.say("Dumping default entry")
    say_action(session, default)
    session.say("==========")
