"""BMv2's Thrift services for a running switch: standard, simple_pre, simple_pre_lag and simple_switch.

A process beside the switch that speaks to it over its control socket. idl/ describes the services; tables.py to
simple_switch.py say what their methods do; server.py listens.
"""
