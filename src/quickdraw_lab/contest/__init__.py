"""The contest: any policies on any environments, each tuned by the same budget on environments of its own."""
