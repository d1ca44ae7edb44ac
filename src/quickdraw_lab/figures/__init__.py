"""The paper's figures and its table, one module each, named after what it makes.

To add a figure: write a module like ``f2_random_fields.py``, which plays, writes the table and draws, and add it to
``catalogue.py``. The command line, the report and the documentation take it from there.
"""
