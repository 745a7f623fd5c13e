"""Accelerators that budgets are compared with: memory, bandwidth, dense peaks, and where the numbers come from."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import columns, fail, write


def command(
    devices_file: Annotated[str | None, typer.Option(help="YAML file with devices of your own.")] = None,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List the devices."""
    from ..devices import devices
    from ..problems import Usage
    from ..reports.devices import listing

    try:
        write(listing(devices(devices_file).values(), format, columns(output)), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
