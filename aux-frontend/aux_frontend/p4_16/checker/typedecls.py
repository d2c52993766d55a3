"""Declarations of types: header, header_union, struct, enum, error, match_kind, typedef, type (P4-16 spec 7.2)."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import annotation, expressions, typerefs, walk
from aux_frontend.p4_16.checker.nesting import fits_header, fits_new_type, fits_struct, fits_union
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import show, write
from aux_frontend.p4_16.types import Ty

FieldsDeclaration = ast.HeaderDeclaration | ast.HeaderUnionDeclaration | ast.StructDeclaration


def type_parameters(st: State, parameters: Sequence[ast.TypeParameter]) -> tuple[Ty, ...]:
    """Declare type parameters in the present scope; gives their variables."""
    for parameter in parameters:
        st.named_types[parameter] = t.TypeVariable(parameter)
        st.declare(parameter)
    return tuple(t.TypeVariable(p) for p in parameters)


def fields(st: State, d: FieldsDeclaration) -> None:
    """header, header_union and struct; a name inside is only looked for among what came before, so none contains itself."""
    annotation.check(st, d.annotations)
    st.declare(d)
    st.open_declarations.add(d)
    with st.nested():
        variables = type_parameters(st, d.type_parameters)
        result: dict[str, Ty] = {}
        first: dict[str, ast.FieldDeclaration] = {}
        for field in d.fields:
            annotation.check(st, field.annotations)
            annotation.check_match(st, field.annotations)
            ty = typerefs.resolve(st, field.type)
            if field.name in first:
                st.error(field, f"field '{field.name}' is declared twice", (first[field.name], "first declared here"))
                continue
            first[field.name] = field
            result[field.name] = _field_type(st, d, field, ty)
    st.open_declarations.discard(d)
    if sum(map(typerefs.leaves, result.values())) > typerefs.MAX_LEAVES:
        st.error(d, f"'{d.name}' has more than the supported {typerefs.MAX_LEAVES} fields, those of its fields counted")
        return
    pairs = tuple(result.items())
    match d:
        case ast.HeaderDeclaration():
            st.named_types[d] = t.Header(d, variables, pairs)
        case ast.HeaderUnionDeclaration():
            st.named_types[d] = t.HeaderUnion(d, variables, pairs)
        case ast.StructDeclaration():
            st.named_types[d] = t.Struct(d, variables, pairs)


def _field_type(st: State, d: FieldsDeclaration, field: ast.FieldDeclaration, ty: Ty) -> Ty:
    match d:
        case ast.HeaderDeclaration():
            kind, fits = "header", fits_header(ty)
        case ast.HeaderUnionDeclaration():
            kind, fits = "header_union", fits_union(ty)
        case _:
            kind, fits = "struct", fits_struct(ty)
    if not fits:
        return st.error(field.type, f"a field of a {kind} cannot be of type '{write(ty)}'")
    return ty


def enum(st: State, d: ast.EnumDeclaration) -> None:
    annotation.check(st, d.annotations)
    underlying = None if d.underlying is None else _underlying(st, d.underlying)
    members: dict[str, int | None] = {}
    first: dict[str, ast.EnumMember] = {}
    st.declare(d)
    if not d.members:
        st.error(d, f"enum '{d.name}' has no members")
    with st.nested() as scope:
        for member in d.members:
            if member.name in first:
                notes = (first[member.name], "first declared here")
                st.error(member, f"member '{member.name}' is declared twice", notes)
                continue
            first[member.name] = member
            if member.value is not None and not isinstance(member.value, ast.IntLiteral):  # it may name those before it
                st.named_types[d] = t.Enum(d, underlying, tuple(members.items()))
            value = members[member.name] = _member_value(st, d, member, underlying)
            st.value_types[member] = t.Enum(d, underlying, ())
            if value is not None:  # the members after it may use it by its name alone
                st.values[member] = value
                scope.add(member)
    whole = st.named_types[d] = t.Enum(d, underlying, tuple(members.items()))
    st.value_types.update(dict.fromkeys(first.values(), whole))


def _underlying(st: State, ref: ast.TypeRef) -> Ty:
    ty = typerefs.resolve(st, ref)
    if not isinstance(ty, t.Bit | t.Unknown):
        return st.error(ref, f"an enum can only be represented by bit<> or int<>, not {show(ty)}")
    return ty


def _member_value(st: State, d: ast.EnumDeclaration, member: ast.EnumMember, underlying: Ty | None) -> int | None:
    if member.value is None:
        if underlying is not None:
            st.error(member, f"'{member.name}' needs a value, '{d.name}' has a representation")
        return None
    if underlying is None:
        st.error(
            member,
            f"'{member.name}' cannot have a value: enum '{d.name}' has no representation",
            (d, "enum bit<…> would"),
        )
        walk.infer(st, member.value)
        return None
    expressions.check_static(st, member.value, underlying, f"the value of '{member.name}'")
    return st.int_value(member.value)


def match_kinds(st: State, d: ast.MatchKindDeclaration) -> None:
    for name in d.members:
        if name.text in st.match_kind_declarations:
            st.error(
                name,
                f"match kind '{name.text}' is declared twice",
                (st.match_kind_declarations[name.text], "first declared here"),
            )
            continue
        st.match_kind_declarations[name.text] = d
        st.checked.match_kinds.append(name.text)


def typedef(st: State, d: ast.TypedefDeclaration) -> None:
    annotation.check(st, d.annotations)
    if isinstance(d.type, ast.Declaration):
        walk.declaration(st, d.type)
        ty = st.named_types.get(d.type, UNKNOWN)
    else:
        ty = typerefs.resolve(st, d.type)
        if isinstance(ty, t.DontCare):
            ty = st.error(d.type, "'_' is not a type here")
    if d.distinct:
        if not isinstance(ty, t.Unknown) and not fits_new_type(ty):
            ty = st.error(
                d.type if not isinstance(d.type, ast.Declaration) else d, f"'type' cannot be made of {show(ty)}"
            )
        elif not isinstance(ty, t.Unknown):
            ty = t.NewType(d, ty)
    st.named_types[d] = ty
    st.declare(d)
