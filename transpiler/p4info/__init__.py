"""P4Info: what a P4Runtime controller reads of a program before it speaks to the switch. P4Runtime spec 1.4 section 6.

`build` makes the message from HLIR, `write` its text, binary and JSON forms. Protobuf is imported by `messages` when the
first message is made, so importing this package costs nothing.
"""
