"""A parser or control of the architecture's own: its parameters are bound to the architecture's storage.

Also which variables and headers such storage is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import controls, names, parsers, places, values as va
from aux_frontend.p4_16.elaborate.scope import ControlObject, ExternObject, ParserObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr

PACKET = "packet"  # the root of a packet_in or packet_out
Storage = Callable[[str, Scope, ast.Parameter], va.Location]  # the storage of a root, made for its first parameter


def elaborate(
    unit: Unit, block: ParserObject | ControlObject, role: pr.Role, roots: tuple[str, ...], storage: Storage
) -> pr.Pipe:
    """The pipe of a role; `roots` say what its parameters are, in order."""
    declaration = block.declaration
    scope = block.constructor_scope.child()
    if len(declaration.parameters) != len(roots):
        raise unit.failure(declaration.span, f"'{declaration.name}' needs {len(roots)} parameters here")
    for parameter, root in zip(declaration.parameters, roots, strict=True):
        type_ = scope.type_ref(parameter.type)
        if root != PACKET:
            scope.bindings[parameter] = storage(root, scope, parameter)
        elif isinstance(type_, ty.Extern):
            scope.bindings[parameter] = ExternObject(type_.declaration, type_.arguments, PACKET)
        else:
            raise unit.failure(parameter.span, "this parameter is for the packet")
    block.name = unit.claim(names.full("", declaration.name, declaration.annotations))
    return _parser(block, scope, role) if isinstance(block, ParserObject) else _control(block, scope, role)


def _parser(block: ParserObject, scope: Scope, role: pr.Role) -> pr.Pipe:
    return parsers.top_level(scope.unit, block, scope, role)


def _control(block: ControlObject, scope: Scope, role: pr.Role) -> pr.Pipe:
    unit, span = scope.unit, block.declaration.span
    block.shared = False  # each block of a package is executed in one place
    unit.pipe, unit.labels, unit.frames = block.name, {}, []
    controls.prepare(block, scope)
    with unit.collecting() as body:
        controls.run(block, scope, span, (), nested=False)
    return pr.Control(block.name, role, tuple(body), span)


def variables(location: va.Location) -> Iterator[str]:
    """The variables of allocated storage."""
    match location:
        case va.ScalarLocation(place=ex.VariableRef(name=name)):
            yield name
        case va.StructLocation(fields=fields):
            for _, field in fields:
                yield from variables(field)
        case va.StackLocation(next_index=ex.VariableRef(name=name)):
            yield name


def headers(location: va.Location, span: Span) -> Iterator[str]:
    """The headers of allocated storage, elements of stacks too."""
    match location:
        case va.HeaderLocation(place=ex.HeaderRef(name=name)):
            yield name
        case va.StructLocation(fields=fields) | va.UnionLocation(members=fields):
            for _, field in fields:
                yield from headers(field, span)
        case va.StackLocation():
            for element in places.elements(location, span):
                yield from headers(element, span)
