"""When a box of arms is refined more strictly instead of being split."""

from types import SimpleNamespace

from quickdraw_bandits.interpolation.engines.tree.search import demand


def test_a_leaf_whose_small_errors_together_are_too_large_is_refined_more_strictly():
    """Each error is below a quarter of the bounds' distance; a search that blames none of them would not end."""
    box = SimpleNamespace(
        coarseness=0.1, staleness=0.2, arm=3, fineness=1.0, strictness=1.0, stretched=0.0,
        patience=1.0, refined_width=1.0, refined_in=5,
    )  # fmt: skip
    answers = [demand(box, 1.0, 0.0) for _ in range(16)]
    assert answers[0] is False
    assert answers[-1] is True
    assert box.strictness < 1.0
    assert (box.refined_width, box.refined_in) == (0.0, -1)
