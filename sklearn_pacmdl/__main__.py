"""``pacmdl``, or ``python -m sklearn_pacmdl``: the package from the shell."""

import sys
from collections.abc import Sequence

INTERRUPTED = 130  # as shells count it: 128 and the number of the signal


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    try:
        # Users may interrupt this too, which may take a second.
        from sklearn_pacmdl.shell._parsing import main as run

        return run(argv)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
