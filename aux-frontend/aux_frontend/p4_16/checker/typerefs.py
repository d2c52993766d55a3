"""From a type as written to the type it denotes (P4-16 spec 7); each TypeRef gets its entry in `type_refs`."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import walk
from aux_frontend.p4_16.checker.nesting import nesting_problem
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import BOOL, DONT_CARE, ERROR, INT, STRING, VOID, show, substitute, write
from aux_frontend.p4_16.types import Ty

MAX_WIDTH_BITS = 1 << 20
MAX_LEAVES = 1 << 16
_BASE: dict[str, Ty] = {
    "bool": BOOL, "error": ERROR, "string": STRING, "match_kind": t.MatchKind(), "void": VOID, "int": INT, "_": DONT_CARE,
}  # fmt: skip


def resolve(st: State, ref: ast.TypeRef, *, open_arguments: bool = False) -> Ty:
    """The type of a reference. `open_arguments`: a generic extern, parser, control or package may stand without its
    type arguments (an instantiation finds them out); its type then has no arguments."""
    st.last_span = ref.span
    match ref:
        case ast.NamedType():
            ty = _named(st, ref, open_arguments)
        case ast.SpecializedType():
            ty = _specialized(st, ref)
        case ast.SizedType():
            ty = _sized(st, ref)
        case ast.BaseType():
            ty = _BASE[ref.name] if ref.name in _BASE else st.error(ref, f"{ref.name} is not a type")
        case ast.StackType():
            ty = _stack(st, ref)
        case ast.TupleType():
            ty = _well_formed(st, ref, t.Tuple(tuple(resolve(st, e) for e in ref.elements)))
        case ast.ListType():
            ty = _well_formed(st, ref, t.List(resolve(st, ref.element)))
        case _:
            raise AssertionError(type(ref))
    st.checked.type_refs[ref] = ty
    return ty


def _well_formed(st: State, at: ast.Node, ty: Ty) -> Ty:
    problem = nesting_problem(ty)
    if problem is None and leaves(ty) > MAX_LEAVES:
        problem = f"this type has more than the supported {MAX_LEAVES} fields"
    return ty if problem is None else st.error(at, problem)


def leaves(ty: Ty) -> int:
    """How many scalar fields a type has. Checked wherever a type is built, so that no walk over a type is ever long."""
    match ty:
        case t.Header() | t.HeaderUnion() | t.Struct():
            return sum(leaves(field) for _, field in ty.fields)
        case t.Tuple():
            return sum(map(leaves, ty.elements))
        case t.Stack():
            return ty.size * leaves(ty.element)
        case _:
            return 1


def type_declaration(st: State, ref: ast.NamedType) -> ast.Declaration | None:
    """What a type name refers to; reports an unknown one."""
    scope = st.scope.root() if ref.absolute else st.scope
    found = scope.find(ref.name, types=True)
    if not found:
        values = scope.find(ref.name)
        if values:
            st.error(ref, f"'{ref.name}' is not a type", (values[0], "declared here"))
        else:
            st.undeclared(ref, ref.name, f"type '{ref.name}'", suggestion(ref.name, scope.visible(types=True)))
        return None
    declaration = found[-1]
    st.checked.declarations[ref] = declaration
    st.used.add(declaration)
    return declaration


def type_parameters(declaration: ast.Declaration) -> tuple[ast.TypeParameter, ...]:
    return getattr(declaration, "type_parameters", ())


def _denoted(st: State, ref: ast.NamedType, declaration: ast.Declaration) -> Ty:
    objects = ast.ExternDeclaration | ast.ParserDeclaration | ast.ControlDeclaration
    if declaration in st.open_declarations and not isinstance(declaration, objects):
        return st.error(ref, f"'{declaration.name}' cannot contain itself", (declaration, "declared here"))
    return st.named_types.get(declaration, UNKNOWN)


def _named(st: State, ref: ast.NamedType, open_arguments: bool) -> Ty:
    declaration = type_declaration(st, ref)
    if declaration is None:
        return UNKNOWN
    ty = _denoted(st, ref, declaration)
    parameters = type_parameters(declaration)
    if parameters and not isinstance(ty, t.Unknown):
        if declaration in st.open_declarations:
            return ty  # an extern's own name inside it
        if open_arguments:
            return ty
        count = f"{len(parameters)} type argument{'s' if len(parameters) > 1 else ''}"
        return st.error(ref, f"'{ref.name}' needs {count}", (declaration, "declared here"))
    return ty


def _specialized(st: State, ref: ast.SpecializedType) -> Ty:
    arguments = tuple(resolve(st, a) for a in ref.arguments)
    declaration = type_declaration(st, ref.base)
    if declaration is None:
        return UNKNOWN
    ty = _denoted(st, ref.base, declaration)
    st.checked.type_refs[ref.base] = ty
    parameters = type_parameters(declaration)
    if isinstance(ty, t.Unknown):
        return ty
    if len(parameters) != len(arguments):
        need = (
            f"{len(parameters)} type argument{'' if len(parameters) == 1 else 's'}"
            if parameters
            else "no type arguments"
        )
        message = f"'{ref.base.name}' takes {need}, {len(arguments)} given"
        return st.error(ref, message, (declaration, "declared here"))
    made = substitute(ty, dict(zip(parameters, arguments, strict=True)))
    return _well_formed(st, ref, made) if _passes_values(st, ref, made) else UNKNOWN


def _passes_values(st: State, ref: ast.SpecializedType, made: Ty) -> bool:
    """Whether what an extern's methods take with a direction are still values, now that its type arguments are known."""
    for argument in getattr(made, "arguments", ()):
        if isinstance(argument, t.ParserType | t.ControlType | t.PackageType):
            st.error(ref, f"{show(argument)} cannot be a type argument")
            return False
    if not isinstance(made, t.Extern) or not any(isinstance(a, t.Extern) for a in made.arguments):
        return True
    mapping = dict(zip(made.declaration.type_parameters, made.arguments, strict=True))
    for method in made.declaration.methods:
        for parameter in method.parameters:
            ty = substitute(st.value_types.get(parameter, UNKNOWN), mapping)
            if parameter.direction and isinstance(ty, t.Extern):
                message = f"'{method.name}' would take an {show(ty)} by value: '{parameter.name}' has a direction"
                st.error(ref, message, (parameter, "declared here"))
                return False
    return True


def _sized(st: State, ref: ast.SizedType) -> Ty:
    width = constant_size(st, ref.width, "width")
    if width is None:
        return UNKNOWN
    if ref.name == "varbit":
        return t.Varbit(width)
    if ref.name == "int" and width == 0 and isinstance(ref.width, ast.IntLiteral):
        return st.error(ref.width, "the width of int<> must be at least 1")
    return t.Bit(width, ref.name == "int")


def constant_size(st: State, expression: ast.Expression, what: str, most: int = MAX_WIDTH_BITS) -> int | None:
    """A compile-time size in a type: an int, not negative, within what can be handled. Reports what is wrong."""
    ty = walk.infer(st, expression)
    if isinstance(ty, t.Unknown):
        return None
    if not isinstance(ty, t.Integer | t.Bit):
        st.error(expression, f"a {what} must be an integer, not {write(ty)}")
        return None
    value = st.int_value(expression)
    if value is None:
        st.error(expression, f"a {what} must be known at compile time")
    elif value < 0:
        st.error(expression, f"a {what} cannot be negative ({value})")
    elif value > most:
        st.error(expression, f"a {what} of {show_int(value)} is more than the supported {most}")
    else:
        return value
    return None


def show_int(value: int) -> str:
    """A number for a message, huge ones shortened."""
    if abs(value).bit_length() <= 256:
        return str(value)
    return f"{'-' if value < 0 else ''}0x{abs(value) >> (abs(value).bit_length() - 32):x}… ({abs(value).bit_length()} bits)"


def _stack(st: State, ref: ast.StackType) -> Ty:
    element = resolve(st, ref.element)
    size = constant_size(st, ref.size, "stack size")
    if size is None or isinstance(element, t.Unknown):
        return UNKNOWN
    if size == 0:
        return st.error(ref.size, "the size of a header stack must be at least 1")
    return _well_formed(st, ref, t.Stack(element, size))
