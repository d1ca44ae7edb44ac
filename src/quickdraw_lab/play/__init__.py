"""Several policies on one environment: the traces, their tables and the figure."""
