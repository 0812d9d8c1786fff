"""``python -m sklearn_pacmdl``: audits from the shell."""

import sys

from sklearn_pacmdl.audits._shell import main

if __name__ == "__main__":
    sys.exit(main())
