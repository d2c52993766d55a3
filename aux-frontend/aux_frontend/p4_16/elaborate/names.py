"""Control-plane names: the dotted path of instances, `@name` and what a key is called. P4-16 spec 1.2.5 section 16."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate.unit import Unit
from aux_frontend.p4_16.lexer import strings
from transpiler.hlir.program import Annotation


def text_of(annotation: ast.Annotation) -> str:
    """What an annotation says: the value of the strings that its body is, else the body as it is written."""
    body = annotation.body.strip()
    if not body and annotation.structured:
        first = annotation.structured[0]
        return first.value if isinstance(first, ast.StringLiteral) else ""
    value = strings(body)
    return body if value is None else value


def find(annotations: tuple[ast.Annotation, ...], name: str) -> ast.Annotation | None:
    return next((a for a in annotations if a.name == name), None)


def full(prefix: str, local: str, annotations: tuple[ast.Annotation, ...] = ()) -> str:
    """The control-plane name of a declaration: `@name(".x")` is absolute, `@name("x")` replaces the last part."""
    renamed = find(annotations, "name")
    if renamed is not None:
        local = text_of(renamed) or local
    if local.startswith("."):
        return local[1:]
    return f"{prefix}.{local}" if prefix else local


def kept(unit: Unit, annotations: tuple[ast.Annotation, ...]) -> tuple[Annotation, ...]:
    """Annotations as HLIR keeps them; `@name` is in the name already."""
    return tuple(Annotation(a.name, a.body, a.span, _structured(unit, a)) for a in annotations if a.name != "name")


def _structured(unit: Unit, annotation: ast.Annotation) -> tuple[tuple[str, int | bool | str], ...] | None:
    """The constants of the form with brackets; the checker has seen that they are."""
    if annotation.structured is None:
        return None
    items = ((i.name, i.value) if isinstance(i, ast.KeyValue) else ("", i) for i in annotation.structured)
    return tuple((key, unit.checked.constants[value]) for key, value in items)


def key_name(unit: Unit, key: ast.KeyElement) -> str:
    """What the control plane calls a key: `@name`, else the expression as written."""
    renamed = find(key.annotations, "name")
    return text_of(renamed) if renamed is not None else written(unit, key.expression)


def _member(unit: Unit, expression: ast.Member, base: ast.Expression) -> str:
    """A field by the name that `@name` gives it; one that begins with a dot stands for the whole path."""
    type_ = unit.checked.types.get(base)
    fields = (
        type_.declaration.fields
        if isinstance(type_, ty.Struct | ty.Header | ty.HeaderUnion) and type_.declaration
        else ()
    )
    declared = next((field for field in fields if field.name == expression.name), None)
    return full(written(unit, base), expression.name, declared.annotations if declared is not None else ())


def written(unit: Unit, expression: ast.Expression) -> str:
    """An expression as source text, without spaces that mean nothing."""
    match expression:
        case ast.Path(name=name):
            return name
        case ast.Member(base=base):
            return _member(unit, expression, base)
        case ast.Index(base=base, index=index):
            return f"{written(unit, base)}[{written(unit, index)}]"
        case ast.SliceExpression(base=base, high=high, low=low, plus=plus):
            return f"{written(unit, base)}[{written(unit, high)}{'+:' if plus else ':'}{written(unit, low)}]"
        case ast.Call(callee=callee, arguments=arguments):
            inner = ", ".join(written(unit, a.value) for a in arguments if a.value is not None)
            return f"{written(unit, callee)}({inner})"
        case ast.BinaryExpression(operator="&", left=left) if unit.checked.constants.get(expression.right) is not None:
            return written(unit, left)  # a masked key carries the name of what is masked
        case ast.BinaryExpression(operator=operator, left=left, right=right):
            return f"{written(unit, left)} {operator} {written(unit, right)}"
        case ast.UnaryExpression(operator=operator, operand=operand):
            return f"{operator}{written(unit, operand)}"
        case ast.CastExpression(operand=operand):
            return written(unit, operand)
        case ast.IntLiteral(value=value) | ast.BoolLiteral(value=value):
            return str(value).lower()
    return "key"
