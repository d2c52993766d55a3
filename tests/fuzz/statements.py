"""All kinds of statements: importing this makes `context.body` know them."""

import assignments
import calls
import externs
import flow
import headers
from context import body

__all__ = ["assignments", "body", "calls", "externs", "flow", "headers"]
