"""Where runs are played: each engine takes tasks and yields the record of each run as it finishes."""
