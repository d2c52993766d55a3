"""All commands, and how a line is run."""

from __future__ import annotations

from macsad.shims.cli import device, externs, multicast, profiles, tables
from macsad.shims.cli.connection import told
from macsad.shims.cli.session import COMMANDS, Session, Words
from macsad.shims.cli.wrong import Wrong

__all__ = ["COMMANDS", "PARTS", "run"]
PARTS = (tables, profiles, externs, multicast, device)  # what enters commands


def run(session: Session, words: Words) -> None:
    """Runs a line, and prints what is wrong with it. Raises: what the connection does."""
    known = COMMANDS.get(words[0])
    if known is None:
        session.say(f"*** Unknown syntax: {' '.join(words)}")
        return
    try:
        known.run(session, words[1:])
    except Wrong as wrong:
        session.say(wrong)
    except Exception as error:
        refused = told(error)
        if refused is None:
            raise
        session.say(refused)
