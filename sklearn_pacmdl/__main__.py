"""``pacmdl``, or ``python -m sklearn_pacmdl``: the package from the shell."""

import os
import sys
from collections.abc import Sequence

INTERRUPTED, UNREAD = 130, 141  # as shells count: 128 and the number of the signal


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    try:
        # Users may interrupt this too, which may take a second.
        from sklearn_pacmdl.shell._parsing import main as run

        try:
            return run(argv)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Nor can be written what Python writes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
