"""From the document to an HLIR program for v1model."""

from __future__ import annotations

from aux_frontend.bmv2_json.actions import Actions
from aux_frontend.bmv2_json.checksums import Checksums
from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Externs
from aux_frontend.bmv2_json.parser import States
from aux_frontend.bmv2_json.pipelines import Pipelines
from aux_frontend.bmv2_json.primitives import Primitives
from aux_frontend.bmv2_json.storage import Storage
from aux_frontend.bmv2_json.tables import Tables
from aux_frontend.bmv2_json.text import Invalid, Node
from aux_frontend.v1model.lengths import with_lengths
from aux_frontend.v1model.requests import check_requests
from transpiler.diagnostics import Diagnostics
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import stored
from transpiler.hlir.types import Bits

VERSION = 2  # the major version of the format
_PIPES = {"parsers": ("parser",), "deparsers": ("deparser",), "pipelines": ("ingress", "egress")}


def program(root: Node, name: str, diagnostics: Diagnostics) -> pr.Program:
    """Raises: Invalid, Rejected; anything else that is wrong has been reported when it returns."""
    _check_version(root)
    storage = Storage(root)
    externs = Externs(storage)
    actions = Actions(storage, externs)
    tables = Tables(storage, externs, actions)
    pipelines = Pipelines(storage, externs, actions, tables)
    found = _pipes(root)
    states = States(storage, externs)
    parser = states.parser(found["parser"])
    verify, update = Checksums(storage, externs).bodies()
    controls = [(role, found.get(role.value)) for role in (pr.Role.INGRESS, pr.Role.EGRESS)]
    for _, node in controls:
        if node is not None:
            pipelines.declare(node)
    bodies = {role: pipelines.body(node) if node is not None else () for role, node in controls}
    actions.check_rest(pipelines.used)
    bodies[pr.Role.INGRESS] = (*_parser_error(storage, root), *bodies[pr.Role.INGRESS])
    bodies[pr.Role.VERIFY_CHECKSUM], bodies[pr.Role.COMPUTE_CHECKSUM] = verify, update
    deparser = found.get("deparser")
    bodies[pr.Role.DEPARSER] = _deparser(storage, externs, deparser) if deparser is not None else ()
    made = pr.Program(
        name=name,
        architecture=pr.Architecture.V1MODEL,
        header_types=storage.header_types(),
        headers=tuple(storage.hlir_headers.values()),
        stacks=tuple(storage.hlir_stacks),
        variables=tuple(storage.variables.values()),
        externs=tuple(externs.instances.values()),
        value_sets=states.rest(),
        actions=tuple(actions.made.values()),
        tables=tuple(tables.tables.values()),
        pipes=(
            parser,
            *(
                pr.Control(role.value, role, bodies[role], node.span if (node := found.get(role.value)) else root.at)
                for role in (
                    pr.Role.VERIFY_CHECKSUM, pr.Role.INGRESS, pr.Role.EGRESS, pr.Role.COMPUTE_CHECKSUM, pr.Role.DEPARSER,
                )
            ),
        ),
        intrinsics=tuple(storage.intrinsics.items()),
        errors=storage.errors,
        span=root.at,
    )  # fmt: skip
    check_requests(made, diagnostics)
    diagnostics.raise_if_errors()
    return with_lengths(made)


def _check_version(root: Node) -> None:
    meta = root.maybe("__meta__")
    version = meta.maybe("version") if meta is not None else None
    if version is not None and version.tuple(2)[0].integer() != VERSION:
        raise version.fail(f"version {VERSION} of the format is supported, this is another")


def _pipes(root: Node) -> dict[str, Node]:
    """The parser, the deparser and the pipelines of simple_switch, by their names. Raises: Invalid."""
    found: dict[str, Node] = {}
    for section, names in _PIPES.items():
        for node in root.listed(section):
            name = node.get("name").text()
            if name not in names:
                told = f"simple_switch has no '{name}' among its {section}: this program is for another switch"
                raise node.get("name").fail(told)
            if name in found:
                raise node.fail(f"'{name}' is there twice")
            found[name] = node
    for name in ("parser", "ingress"):
        if name not in found:
            raise root.fail(f"there is no {name}")
    return found


def _parser_error(storage: Storage, root: Node) -> st.Body:
    """standard_metadata.parser_error as the program's own numbers of errors."""
    slot, span = storage.parser_error(), root.at
    if slot is None or not isinstance(slot.stored, Bits):
        return ()
    type_ = slot.stored
    error = ex.Read(storage.intrinsic("parser_error", storage.errors, span), storage.errors, span)
    cases = tuple(
        st.SwitchCase((ordinal,), (st.Assign(slot.place, ex.Const(stored(value, type_), type_, span), span),), span)
        for value, ordinal in storage.error_values.items()
    )
    return (st.Switch(error, cases, (), span),)


def _deparser(storage: Storage, externs: Externs, node: Node) -> st.Body:
    body: list[st.Statement] = []
    primitives = Primitives(storage, externs, Expressions(storage, externs.register))
    for call in node.listed("primitives"):
        try:
            body += primitives.call(call)
        except Invalid:
            continue
    for name in node.listed("order"):
        try:
            body.append(st.Emit(storage.header(name).place, name.span))
        except Invalid:
            continue
    return tuple(body)
