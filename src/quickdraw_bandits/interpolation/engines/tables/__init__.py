"""The tables engine: sums over old observations, kept for every arm at a few moments ahead.

The modules import numba, so that they are imported where they are needed.
"""
