"""Metrics as `macsad metrics` and `macsad run --metrics` serve them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click


def require() -> None:
    """What is missing is told before anything is compiled. Raises: click.ClickException."""
    try:
        import prometheus_client  # noqa: F401
    except ImportError as error:
        raise click.ClickException(f"metrics need prometheus_client: pip install 'macsad[metrics]' ({error})") from None


@contextlib.contextmanager
def listening(place: tuple[str, int], socket: Path) -> Iterator[None]:
    """Serve metrics of the switch at that socket while the context lasts. Raises: click.ClickException."""
    from macsad.metrics.metrics import serving

    host, port = place
    shown = f"[{host}]" if ":" in host else host  # as URLs have it
    with contextlib.ExitStack() as ended:
        try:
            port = ended.enter_context(serving(host, port, socket))
        except OSError as error:
            raise click.ClickException(f"cannot serve metrics at {shown}:{port}: {error.strerror}") from None
        click.echo(f"ready: metrics at http://{shown}:{port}/metrics")
        yield
