"""``python -m quickdraw_bandits.cli`` is the ``quickdraw`` command."""

import sys

from quickdraw_bandits.cli import main

if __name__ == "__main__":
    sys.exit(main())
