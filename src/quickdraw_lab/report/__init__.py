"""One page with everything that a results folder holds."""

from quickdraw_lab.report.page import report_page

__all__ = ["report_page"]
