"""How fast choices are with very many arms and observations.

``table.py`` measures what is promised, ``curves.py`` the time of a choice against size, ``soak.py`` very many rounds
in a row. ``run.py`` runs the first two, ``plot.py`` and ``page.py`` show them.
"""
