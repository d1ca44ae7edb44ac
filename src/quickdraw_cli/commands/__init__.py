"""The commands, one module each.

To add a command: write a module with ``HELP``, ``DESCRIPTION``, ``add_options`` and ``run``, and list it in
``quickdraw_cli/parser.py``.
"""
