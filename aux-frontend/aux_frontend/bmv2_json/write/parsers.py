"""The parser of a program: states, with what they select by as fields."""

from __future__ import annotations

from itertools import product

from aux_frontend.bmv2_json.write.calls import Calls
from aux_frontend.bmv2_json.write.values import Inexpressible, Json, expression, hexstr, scalar_width
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits

NO_MATCH = "$noMatch"


def parser(calls: Calls, made: pr.Parser) -> Json:
    """Raises: Inexpressible."""
    states = [_state(calls, state, number) for number, state in enumerate(made.states)]
    if any(t["next_state"] == NO_MATCH for state in states for t in state["transitions"]):
        error = hexstr(calls.values.program.errors.members.index("NoMatch"))
        verify = {"op": "verify", "parameters": [{"type": "bool", "value": False}, error]}
        states.append({
            "name": NO_MATCH, "id": len(states), "parser_ops": [verify], "transition_key": [], "transitions": [_default(None)],
        })  # fmt: skip
    return {"name": "parser", "id": 0, "init_state": made.states[0].name, "parse_states": states}


def _default(target: str | None) -> Json:
    return {"type": "default", "value": None, "mask": None, "next_state": target}


def _next(state: str) -> str | None:
    return None if state in (pr.ACCEPT, pr.REJECT) else state


def _state(calls: Calls, state: pr.ParserState, number: int) -> Json:
    ops: list[Json] = []
    for statement in state.body:
        ops += _operations(calls, statement)
    key: list[Json] = []
    match state.transition:
        case pr.Goto(state=target):
            transitions = [_default(_next(target))]
        case pr.Select() as select:
            for subject in select.subjects:
                made, before = calls.field_of(subject)
                key.append(made)
                ops += [{"op": "primitive", "parameters": [one]} for one in before]
            transitions = _transitions(select)
    return {"name": state.name, "id": number, "parser_ops": ops, "transition_key": key, "transitions": transitions}


def _operations(calls: Calls, statement: st.Statement) -> list[Json]:
    v = calls.values
    match statement:
        case st.Extract(header=header, varbit_bits=bits):
            if isinstance(header, ex.HeaderRef):
                what = {"type": "regular", "value": header.name}
            elif isinstance(header.index, ex.Read):  # the frontend's own count of what was extracted
                calls.count(header.index, header.stack)
                what = {"type": "stack", "value": header.stack}
            else:
                raise Inexpressible(statement.span, "only the next element of a stack can be extracted in BMv2's JSON")
            if bits is None:
                return [{"op": "extract", "parameters": [what]}]
            length = v.data_of(bits)
            wrapped = length if length["type"] == "expression" else {"type": "expression", "value": length}
            return [{"op": "extract_VL", "parameters": [what, expression(wrapped)]}]
        case st.Lookahead(target=target, type=type_):
            ahead = {"type": "lookahead", "value": [0, type_.width]}
            return [{"op": "set", "parameters": [v.place(target), ahead]}]
        case st.Advance(bits=bits):
            return [{"op": "advance", "parameters": [expression(v.data_of(bits))]}]
        case st.Verify(condition=condition, error=error):
            return [{"op": "verify", "parameters": [v.truth(condition), v.data_of(error)]}]
        case st.Assign(target=ex.VariableRef(), value=value):
            made = {"op": "set", "parameters": [v.place(statement.target), expression(v.data_of(value))]}
            return [made] if calls.write(statement) else []
    return [{"op": "primitive", "parameters": [one]} for one in calls.write(statement)]


def _transitions(select: pr.Select) -> list[Json]:
    found: list[Json] = []
    for case in select.cases:
        target = _next(case.state)
        if len(case.keys) == 1 and isinstance(case.keys[0], ex.ValueSetRef):
            found.append({"type": "parse_vset", "value": case.keys[0].name, "mask": None, "next_state": target})
            continue
        if all(isinstance(key, ex.AnySet) for key in case.keys):
            return [*found, _default(target)]
        choices = [_masked(key, subject) for key, subject in zip(case.keys, select.subjects, strict=True)]
        for parts in product(*choices):
            value, mask = (_joined([part[i] for part in parts], select) for i in (0, 1))
            exact = all(m == ones(scalar_width(s.type)) for (_, m), s in zip(parts, select.subjects, strict=True))
            found.append({"type": "hexstr", "value": value, "mask": None if exact else mask, "next_state": target})
    return [*found, _default(NO_MATCH)]


def _joined(parts: list[int], select: pr.Select) -> str:
    number, size = 0, 0
    for part, subject in zip(parts, select.subjects, strict=True):
        width = (scalar_width(subject.type) + 7) // 8 * 8
        number, size = number << width | part, size + width
    return f"0x{number:0{size // 4}x}"


def _masked(key: ex.KeySet, subject: ex.Expression) -> list[tuple[int, int]]:
    """The (value, mask) pairs that a set is."""
    all_ = ones(scalar_width(subject.type))
    match key:
        case ex.AnySet():
            return [(0, 0)]
        case ex.ExactSet(value=ex.Const(value=value)):
            return [(value, all_)]
        case ex.MaskSet(value=ex.Const(value=value), mask=ex.Const(value=mask)):
            return [(value & mask, mask)]
        case ex.RangeSet(low=ex.Const(value=low), high=ex.Const(value=high)) if _unsigned(subject):
            return list(_prefixes(low, high, all_))
    raise Inexpressible(key.span, "this set of values cannot be said in BMv2's JSON")


def _unsigned(subject: ex.Expression) -> bool:
    return not (isinstance(subject.type, Bits) and subject.type.signed)


def _prefixes(low: int, high: int, all_: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while low <= high:
        size = low & -low if low else all_ + 1
        while low + size - 1 > high:
            size >>= 1
        found.append((low, all_ & ~(size - 1)))
        low += size
    return found
