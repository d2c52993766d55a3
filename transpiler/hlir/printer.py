"""HLIR as text, for people and golden tests: P4-like syntax, one statement a line, declarations in the program's order.

It is not P4 and nobody parses it: everything that the nodes say is in it except spans and
what only the control plane asks for (`Program.interface`, types and annotations of keys and of action data).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, Type

INDENT = "    "


def print_program(program: pr.Program) -> str:
    """The whole program; ends with a line break."""
    blocks = [
        [f"program {program.name} ({program.architecture.value})"],
        [f"errors {{ {', '.join(program.errors.members)} }}"],
        *([*_header_type(t)] for t in program.header_types),
        _group("headers", _headers(program)),
        _group("variables", (f"{v.storage.value} {v.type} {v.name};" for v in program.variables)),
        _group("intrinsics", (f"{name} = {variable};" for name, variable in program.intrinsics)),
        _group("bridges", (f"{b.path}: {', '.join((*b.variables, *b.headers))};" for b in program.bridges)),
        [_extern(e) for e in program.externs],
        [_value_set(v) for v in program.value_sets],
        *([*_action(program, a)] for a in program.actions),
        *([*_table(t)] for t in program.tables),
        *([*_pipe(p)] for p in program.pipes),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def print_body(body: st.Body) -> str:
    """Statements alone, one a line, for messages and tests."""
    return "\n".join(_body(body, 0))


# --- declarations ----------------------------------------------------------------------------------------------------


def _group(title: str, lines: Iterable[str]) -> list[str]:
    members = [INDENT + line for line in lines]
    return [f"{title} {{", *members, "}"] if members else []


def _header_type(header: HeaderType) -> Iterator[str]:
    yield f"header {header.name} {{"
    yield from (f"{INDENT}{_field(f)}" for f in header.fields)
    yield "}"


def _field(field: Field) -> str:
    return f"{field.type} {field.name};"


def _headers(program: pr.Program) -> Iterator[str]:
    for header in program.headers:
        yield f"{'local ' if header.local else ''}{header.type} {header.name};"
    for stack in program.stacks:
        yield f"{stack.type}[{stack.size}] {stack.name};"


def _annotations(annotations: tuple[pr.Annotation, ...]) -> str:
    return "".join(f"{_annotation(a)} " for a in annotations)


def _annotation(annotation: pr.Annotation) -> str:
    if annotation.structured is not None:
        items = (f"{key} = {value!r}" if key else repr(value) for key, value in annotation.structured)
        return f"@{annotation.name}[{', '.join(items)}]"
    return f"@{annotation.name}({annotation.body})" if annotation.body else f"@{annotation.name}"


def _extern(instance: pr.ExternInstance) -> str:
    attributes = ", ".join(f"{name} = {value!r}" for name, value in instance.attributes)
    return f"{_annotations(instance.annotations)}extern {instance.kind} {instance.name}({attributes});"


def _value_set(value_set: pr.ValueSet) -> str:
    members = ", ".join(f"{t}: {k.value}" for t, k in zip(value_set.types, value_set.match_kinds, strict=True))
    return f"value_set {value_set.name}({members}) size {value_set.size};"


def _action(program: pr.Program, action: pr.Action) -> Iterator[str]:
    parameters = ", ".join(f"{program.variable[p].type} {p}" for p in action.parameters)
    yield f"{_annotations(action.annotations)}action {action.name}({parameters}) {{"
    yield from _body(action.body, 1)
    yield "}"


def _table(table: pr.Table) -> Iterator[str]:
    yield f"{_annotations(table.annotations)}table {table.name} {{"
    yield f"{INDENT}key = {{"
    for key in table.keys:
        yield f'{INDENT * 2}{expression(key.expression)}: {key.match_kind.value} @name("{key.name}");'
    yield f"{INDENT}}}"
    yield f"{INDENT}actions = {{"
    for use in table.actions:
        marks = ("@defaultonly " if use.default_only else "") + ("@tableonly " if use.table_only else "")
        yield f"{INDENT * 2}{marks}{use.action};"
    yield f"{INDENT}}}"
    yield f"{INDENT}{'const ' if table.const_default else ''}default_action = {_action_call(table.default_action)};"
    if table.entries or table.const_entries:
        yield f"{INDENT}{'const ' if table.const_entries else ''}entries = {{"
        for entry in table.entries:
            keys = ", ".join(map(key_set, entry.keys))
            yield f"{INDENT * 2}priority {entry.priority}: ({keys}): {_action_call(entry.call)};"
        yield f"{INDENT}}}"
    yield f"{INDENT}size = {table.size};"
    if table.implementation:
        yield f"{INDENT}implementation = {table.implementation};"
    if table.direct:
        yield f"{INDENT}direct = {', '.join(table.direct)};"
    yield "}"


def _action_call(call: pr.ActionCall) -> str:
    return f"{call.action}({', '.join(map(expression, call.arguments))})"


def _pipe(pipe: pr.Pipe) -> Iterator[str]:
    kind = "parser" if isinstance(pipe, pr.Parser) else "control"
    yield f"{kind} {pipe.name} ({pipe.role.value}) {{"
    if isinstance(pipe, pr.Control):
        yield from _body(pipe.body, 1)
    else:
        for state in pipe.states:
            yield from _state(state)
    yield "}"


def _state(state: pr.ParserState) -> Iterator[str]:
    yield f"{INDENT}state {state.name} {{"
    yield from _body(state.body, 2)
    match state.transition:
        case pr.Goto(state=target):
            yield f"{INDENT * 2}transition {target};"
        case pr.Select(subjects=subjects, cases=cases):
            yield f"{INDENT * 2}transition select({', '.join(map(expression, subjects))}) {{"
            for case_ in cases:
                yield f"{INDENT * 3}({', '.join(map(key_set, case_.keys))}): {case_.state};"
            yield f"{INDENT * 2}}}"
    yield f"{INDENT}}}"


# --- statements ------------------------------------------------------------------------------------------------------


def _body(body: st.Body, depth: int) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement, depth)


def _statement(statement: st.Statement, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    match statement:
        case st.If(condition=condition, then=then, otherwise=otherwise):
            yield f"{pad}if ({expression(condition)}) {{"
            yield from _body(then, depth + 1)
            if otherwise:
                yield f"{pad}}} else {{"
                yield from _body(otherwise, depth + 1)
            yield f"{pad}}}"
        case st.Switch():
            yield from _switch(statement, depth)
        case st.Block(label=label, body=body):
            yield f"{pad}{label}: {{"
            yield from _body(body, depth + 1)
            yield f"{pad}}}"
        case st.While(condition=condition, body=body):
            yield f"{pad}while ({expression(condition)}) {{"
            yield from _body(body, depth + 1)
            yield f"{pad}}}"
        case _:
            yield f"{pad}{_simple(statement)};"


def _switch(statement: st.Switch, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    subject_type = statement.subject.type
    yield f"{pad}switch ({expression(statement.subject)}) {{"
    for case_ in statement.cases:
        labels = ", ".join(_constant(v, subject_type) for v in case_.values)
        yield f"{pad}{INDENT}{labels}: {{"
        yield from _body(case_.body, depth + 2)
        yield f"{pad}{INDENT}}}"
    if statement.default:
        yield f"{pad}{INDENT}default: {{"
        yield from _body(statement.default, depth + 2)
        yield f"{pad}{INDENT}}}"
    yield f"{pad}}}"


def _simple(statement: st.Statement) -> str:
    match statement:
        case st.Assign(target=target, value=value):
            return f"{place(target)} = {expression(value)}"
        case st.SetValid(header=header, valid=valid):
            return f"{header_place(header)}.{'setValid' if valid else 'setInvalid'}()"
        case st.CopyHeader(target=target, source=source):
            return f"{header_place(target)} = {header_place(source)}"
        case st.Leave(label=label):
            return f"leave {label}"
        case st.ApplyTable(table=table, hit=hit, action=action):
            results = [f"{what} -> {ref.name}" for what, ref in (("hit", hit), ("action", action)) if ref is not None]
            return f"apply {table}" + (f" ({', '.join(results)})" if results else "")
        case st.CallExtern():
            return _call(statement)
        case st.Extract(header=header, varbit_bits=None):
            return f"extract({header_place(header)})"
        case st.Extract(header=header, varbit_bits=bits) if bits is not None:
            return f"extract({header_place(header)}, {expression(bits)})"
        case st.Lookahead(target=target, type=type_):
            return f"{target.name} = lookahead<{type_}>()"
        case st.Advance(bits=bits):
            return f"advance({expression(bits)})"
        case st.Verify(condition=condition, error=error):
            return f"verify({expression(condition)}, {expression(error)})"
        case st.Emit(header=header):
            return f"emit({header_place(header)})"
    raise TypeError(f"not a statement: {statement!r}")


def _call(call: st.CallExtern) -> str:
    receiver = f"{call.instance}: " if call.instance else ""
    outputs = ", ".join(map(place, call.outputs))
    fields = f" fields ({', '.join(map(place, call.fields))})" if call.fields else ""
    head = f"{outputs} = " if outputs else ""
    return f"{head}{receiver}{call.method}({', '.join(map(expression, call.inputs))}){fields}"


# --- expressions -----------------------------------------------------------------------------------------------------


def header_place(header: ex.HeaderPlace) -> str:
    """`hdr.ipv4`, `hdr.vlan[meta.i]`"""
    match header:
        case ex.HeaderRef(name=name):
            return name
        case ex.ElementRef(stack=stack, index=index):
            return f"{stack}[{expression(index)}]"


def place(where: ex.Place) -> str:
    """A place as it is written in P4."""
    match where:
        case ex.VariableRef(name=name):
            return name
        case ex.FieldRef(header=header, field=field):
            return f"{header_place(header)}.{field}"


def _constant(value: int, type_: Type) -> str:
    match type_:
        case Bool():
            return "true" if value else "false"
        case Enum(name=name, members=members):
            return f"{name}.{members[value]}" if value < len(members) else f"{name}.{value}"
        case Bits(width=width, signed=True):
            return f"{width}s{value - (1 << width) if value >> (width - 1) else value}" if width else "0s0"
        case Bits(width=width):
            return f"{width}w{value if value < 10 else hex(value)}"
    return str(value)


def expression(value: ex.Expression) -> str:
    """An expression, with parentheses around every binary operation within another."""
    match value:
        case ex.Const(value=number, type=type_):
            return _constant(number, type_)
        case ex.Text(value=text):
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        case ex.Read(place=where):
            return place(where)
        case ex.IsValid(header=header):
            return f"{header_place(header)}.isValid()"
        case ex.Unary(op=op, operand=operand):
            return f"{op.value}{_operand(operand)}"
        case ex.Binary(op=op, left=left, right=right):
            return f"{_operand(left)} {op.value} {_operand(right)}"
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"{_operand(condition)} ? {_operand(then)} : {_operand(otherwise)}"
        case ex.Slice(operand=operand, high=high, low=low):
            return f"{_operand(operand)}[{high}:{low}]"
        case ex.Cast(operand=operand, type=type_):
            return f"({type_}){_operand(operand)}"
        case ex.ListExpression(items=items):
            return f"{{ {', '.join(map(expression, items))} }}" if items else "{}"


def _operand(value: ex.Expression) -> str:
    text = expression(value)
    return f"({text})" if isinstance(value, ex.Binary | ex.Conditional | ex.Cast) else text


def key_set(keys: ex.KeySet) -> str:
    """A set in a select case or an entry."""
    match keys:
        case ex.AnySet():
            return "_"
        case ex.ExactSet(value=value):
            return expression(value)
        case ex.MaskSet(value=value, mask=mask):
            return f"{_operand(value)} &&& {_operand(mask)}"
        case ex.RangeSet(low=low, high=high):
            return f"{_operand(low)} .. {_operand(high)}"
        case ex.ValueSetRef(name=name):
            return name
