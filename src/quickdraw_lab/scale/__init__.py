"""How fast choices are with very many arms and observations."""
