"""Reports: ``page.py`` makes the HTML page of a results folder, ``publish.py`` the page of the documentation."""

from quickdraw_lab.report.page import report_page

__all__ = ["report_page"]
