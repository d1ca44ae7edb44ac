"""What ``AdaptiveQuickDraw`` is made of: a grid of scales, the model at given scales, and the search for both."""
