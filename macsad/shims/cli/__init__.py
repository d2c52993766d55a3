"""The commands of simple_switch_CLI, as clients of BMv2's Thrift services. What they print is what BMv2's print
(behavioral-model, tools/runtime_CLI.py), as scripts look for it."""
