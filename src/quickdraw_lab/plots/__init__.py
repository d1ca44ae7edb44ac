"""The style of all figures, and what several of them draw. Matplotlib is imported only when something is drawn."""
