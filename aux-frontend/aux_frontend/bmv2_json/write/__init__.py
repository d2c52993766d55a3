"""The way back: HLIR for v1model as BMv2's JSON, as far as that can say what HLIR does."""
