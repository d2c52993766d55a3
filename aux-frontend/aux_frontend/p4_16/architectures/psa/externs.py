"""PSA's externs: its objects, and its functions for deparsers. Source: PSA 1.2, sections 7 and 6.8."""

from __future__ import annotations

from aux_frontend.p4_16.architectures.portable.externs import METHODS, instantiate
from aux_frontend.p4_16.elaborate import expressions, fold, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Externs, Handler
from transpiler.architectures.psa.facts import PORT_RECIRCULATE
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits


def _decision(call: ExternCall, name: str, struct: str = "istd") -> ex.Expression:
    """A bool of the structure that ingress or egress left."""
    argument = call.argument(struct)
    assert argument is not None
    value = expressions.value_member(call.scope, expressions.evaluate(call.scope, argument), name, call.span)
    assert isinstance(value, va.EXPRESSIONS)
    return value


def _kept_and(call: ExternCall, condition: ex.Expression) -> ex.Expression:
    kept = fold.negate(_decision(call, "drop"))
    return fold.binary(ex.BinaryOp.LAND, kept, condition, call.span)


def _recirculated(call: ExternCall) -> va.Value:
    port = _decision(call, "egress_port", "edstd")
    assert isinstance(port.type, Bits)
    special = fold.bits(PORT_RECIRCULATE, port.type.width, call.span)
    return _kept_and(call, fold.binary(ex.BinaryOp.EQ, port, special, call.span))


FUNCTIONS: dict[str, Handler] = {
    "psa_clone_i2e": lambda call: _decision(call, "clone"),
    "psa_clone_e2e": lambda call: _decision(call, "clone"),
    "psa_resubmit": lambda call: _kept_and(call, _decision(call, "resubmit")),
    "psa_normal": lambda call: _kept_and(call, fold.negate(_decision(call, "resubmit"))),
    "psa_recirculate": _recirculated,
}
EXTERNS = Externs(instantiate, FUNCTIONS, METHODS)
