"""How results are drawn; matplotlib is imported only when something is."""
