"""Figures that show one example: F1, F2, F3, F10, F11 and F13. Each is played and drawn in a process of one thread."""
