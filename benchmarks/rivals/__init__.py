"""Policies of other libraries behind this project's interface, for ``quickdraw compare --policy``.

Each has the version of its library (``contest_version``) and the settings to try (``contest_grid``). The dependency
group ``rivals`` lists the libraries; they are not installed by default.
"""
