"""Runs in parallel, on local processes (``pool.py``) or a Ray cluster (``ray_cluster.py``), and their ``store.py``."""
