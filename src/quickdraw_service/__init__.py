"""Decisions over HTTP: an append-only log of decisions and rewards, policies that learn from it, an API, a client."""
