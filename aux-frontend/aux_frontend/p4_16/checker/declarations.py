"""Declarations by kind, at the top level and inside blocks: who may stand where (P4-16 spec 10 and 11)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import (
    annotation,
    blocks,
    constructors,
    externs,
    parsers,
    statements,
    tables,
    typedecls,
    typerefs,
    walk,
)
from aux_frontend.p4_16.checker.nesting import fits_struct
from aux_frontend.p4_16.checker.state import UNKNOWN, Rule, State
from aux_frontend.p4_16.checker.typeops import show, write
from transpiler.hlir.program import MAX_SIZE


def program(st: State, whole: ast.Program) -> None:
    """The declarations of a program, in order."""
    _all_errors(st, whole)
    for d in whole.declarations:
        walk.declaration(st, d)
        if d.name == "main":
            _main(st, d)


def _all_errors(st: State, whole: ast.Program) -> None:
    """The errors of a program are in one namespace, "irrespective of the place where an error is defined" (spec 7.1.2)."""
    for name in (name for d in whole.declarations if isinstance(d, ast.ErrorDeclaration) for name in d.members):
        if name.text in st.error_declarations:
            st.diagnostics.error(
                name.span,
                f"error '{name.text}' is declared twice",
                (st.error_declarations[name.text], "first declared here"),
            )
            continue
        st.error_declarations[name.text] = name.span
        st.checked.errors.append(name.text)


def _main(st: State, d: ast.Declaration) -> None:
    """The program is an instance of a package, called main (spec 15)."""
    if isinstance(d, ast.FunctionDeclaration):
        return
    if not isinstance(d, ast.Instantiation):
        st.error(d, "'main' must be an instance of a package")
    elif not isinstance(ty := st.value_types.get(d, UNKNOWN), t.PackageType | t.Unknown):
        st.error(d, f"'main' must be an instance of a package, not of {show(ty)}")


def _instantiation(st: State, d: ast.Instantiation) -> None:
    annotation.check(st, d.annotations)
    constructors.instantiation(st, d)
    st.declare(d)


def _value_set(st: State, d: ast.ValueSetDeclaration) -> None:
    annotation.check(st, d.annotations)
    element = typerefs.resolve(st, d.type)
    size = typerefs.constant_size(st, d.size, "value set size", MAX_SIZE)
    if not isinstance(element, t.Unknown) and not fits_struct(element):
        st.error(d.type, f"a value set cannot hold '{write(element)}'")
        element = UNKNOWN
    if size == 0:
        st.warn(d.size, "empty", "a value set of size 0 never matches")
    st.value_types[d] = t.ValueSet(element)
    st.declare(d)


RULES: dict[type, Rule] = {
    ast.ConstDeclaration: statements.constant,
    ast.VariableDeclaration: statements.variable,
    ast.Instantiation: _instantiation,
    ast.HeaderDeclaration: typedecls.fields,
    ast.HeaderUnionDeclaration: typedecls.fields,
    ast.StructDeclaration: typedecls.fields,
    ast.EnumDeclaration: typedecls.enum,
    ast.ErrorDeclaration: lambda st, d: None,  # known before everything else: _all_errors
    ast.MatchKindDeclaration: typedecls.match_kinds,
    ast.TypedefDeclaration: typedecls.typedef,
    ast.ExternDeclaration: externs.extern,
    ast.FunctionPrototype: externs.prototype,
    ast.FunctionDeclaration: blocks.function,
    ast.ActionDeclaration: blocks.action,
    ast.ParserTypeDeclaration: externs.block_type,
    ast.ControlTypeDeclaration: externs.block_type,
    ast.PackageDeclaration: externs.package,
    ast.ParserDeclaration: parsers.parser,
    ast.ControlDeclaration: blocks.control,
    ast.ValueSetDeclaration: _value_set,
    ast.TableDeclaration: tables.table,
}
