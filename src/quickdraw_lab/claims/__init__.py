"""What the paper says about its experiments, and how each statement is tested on the tables."""
