"""``quickdraw demo``: the adaptive policy and its competitors, on a drifting field and on recorded speeds."""
