"""Columns of pandas, Polars and Arrow as NumPy arrays, without importing any of these libraries.

NumPy's dates have no time zone. Dates with a zone become UTC here; dates without one stay as they are, and the library
takes them to be in UTC.
"""

from typing import Any

import numpy as np


def plain_array(values: Any) -> Any:
    """Return a column of pandas, Polars or Arrow as an array; anything else unchanged.

    Missing values are NaN, NaT or None in the array, as the library of the column has it.

    Examples
    --------
    >>> import pandas
    >>> plain_array(pandas.Series(["2026-07-01 12:00"]).astype("datetime64[s, Europe/Berlin]"))
    array(['2026-07-01T10:00:00'], dtype='datetime64[s]')
    """
    if isinstance(values, np.ndarray | np.generic | list | tuple | str):
        return values
    if not hasattr(values, "to_numpy") or not hasattr(values, "__len__"):  # single dates of pandas have no length
        return values
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "kind", "") == "M":  # pandas, which makes objects of dates with a zone unless asked for dates
        return values.to_numpy(dtype=f"datetime64[{getattr(dtype, 'unit', None) or 'us'}]")
    if dtype is not None:
        return values.to_numpy()
    if hasattr(values, "columns"):
        return values.to_numpy()  # a whole frame; its shape says what is wrong with it
    kind: Any = getattr(values, "type", None)  # Arrow
    if str(kind).startswith("dictionary"):
        values = values.cast(kind.value_type)  # chunked dictionaries lose their missing values on the way to NumPy
    return values.to_numpy(zero_copy_only=False)
