"""One page with everything that a results folder holds."""

from quickdraw_bandits.experiments.report.page import report_page

__all__ = ["report_page"]
