"""BMv2's JSON, which p4c writes for simple_switch, as HLIR for the v1model architecture."""
