"""Tables: files (CSV, gzip, Parquet) and data frames, read in one way, with errors that name column and row."""

from quickdraw_bandits.tables.file_table import FileTable
from quickdraw_bandits.tables.frame_table import Frame, FrameTable
from quickdraw_bandits.tables.gaps import Fill, fill_gaps
from quickdraw_bandits.tables.table import Coded, Table

__all__ = ["Coded", "FileTable", "Fill", "Frame", "FrameTable", "Table", "fill_gaps"]
