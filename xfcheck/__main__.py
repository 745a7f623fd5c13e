"""The command line: one command's module is imported, the one asked for."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 findings or a broken assertion, 2 the job could not be done, 130 interrupted."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from xfcheck import __version__

        print(f"xfcheck {__version__}")
        return
    import atexit
    import gc

    # classes and tables made at the start live to the end: looking for garbage among them costs a tenth of a short run, and so does the
    # interpreter's last look at its end, which frozen objects are spared (exit handlers and flushing are not)
    gc.set_threshold(200_000, 20, 50)
    atexit.register(gc.freeze)
    try:
        from xfcheck.cli.app import run

        run(arguments)
    except KeyboardInterrupt:  # also while modules are still being read
        sys.exit(130)
    except ModuleNotFoundError as missing:  # a checkout that was never installed: no finding, so never exit code 1
        if missing.name is None or missing.name.partition(".")[0] == "xfcheck":
            raise
        print(f"xfcheck: the module {missing.name} is missing: python -m pip install . installs what xfcheck needs", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
