"""The contest: any policies on any environments, each tuned with the same budget on separate environments."""
