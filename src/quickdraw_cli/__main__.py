"""``python -m quickdraw_cli`` is the ``quickdraw`` command."""

import sys

from quickdraw_cli import main

if __name__ == "__main__":
    sys.exit(main())
