"""The P4Runtime server. P4Runtime specification 1.4.1.

It runs beside a switch and speaks the control protocol to it. All state of the switch is in the switch, so that a server can be
ended and started again. The cookie and a saved configuration are the server's own. docs/p4runtime.md has what works.
"""
