"""Makes the helpers beside it importable from every folder of tests: `from hlir_builder import Builder`."""
