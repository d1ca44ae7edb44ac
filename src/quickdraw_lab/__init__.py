"""What to run, and how to draw it."""
