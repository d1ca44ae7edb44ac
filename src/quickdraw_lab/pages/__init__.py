"""HTML pages: one writer and its templates, for the report, the contest and the demo.

A page is a single file that loads nothing: pictures are inside it.
"""

from quickdraw_lab.pages.writer import Picture, render, write_page

__all__ = ["Picture", "render", "write_page"]
