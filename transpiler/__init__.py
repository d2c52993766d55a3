"""The compiler after the frontends: HLIR, analysis, passes, schedule, code generation."""
