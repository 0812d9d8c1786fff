"""Replacements for what older supported versions of scikit-learn lack.

The signatures are scikit-learn's, so that rooms are written for the newest version only.
"""


def is_df_or_series(X):
    """Whether this is a data frame or a column of pandas, Polars or PyArrow."""
    libraries = {"pandas", "polars", "pyarrow"}
    kinds = {"DataFrame", "Series", "Table", "RecordBatch", "Array", "ChunkedArray"}
    return any(
        base.__name__ in kinds and base.__module__.partition(".")[0] in libraries
        for base in type(X).__mro__
    )
