"""What ``AdaptiveQuickDraw`` is made of: ladders of scales, the model at given scales, and the search for both."""
