"""One folder per engine: how the largest index is found. ``registry.py`` says which serves when."""
