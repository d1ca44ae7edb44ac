"""Policies of other libraries, behind this project's interface, for ``quickdraw compare --policy``.

Each names its library's version (``contest_version``) and brings the settings to try (``contest_grid``). The libraries
are the dependency group ``rivals``; nothing installs them by default.
"""
