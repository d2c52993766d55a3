"""Text from outside (names, files, what a switch says) as it is shown to people: what would steer a terminal is written out.

Control characters, also those beyond ASCII, and what turns the direction of writing (Unicode's categories C and Z but for
the space) become escapes: \\x1b, \\u202e; a byte that is no UTF-8 becomes \\xNN.
"""

from __future__ import annotations


def shown(text: str) -> str:
    """Text of one line: line breaks are written out, too."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def shown_lines(text: str) -> str:
    """Text whose line breaks and tabs are meant."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def _escape(c: str) -> str:
    if "\udc80" <= c <= "\udcff":  # a byte, as Python decodes names of files (PEP 383)
        return f"\\x{ord(c) - 0xDC00:02x}"
    return c.encode("unicode_escape").decode()
