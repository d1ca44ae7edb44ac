"""Policies by name, how one is prepared, played and timed, and the oracle."""
