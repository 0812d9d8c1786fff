"""Tables of results, for which pandas is required only when they are made."""


def as_frame(columns, index):
    """Make a DataFrame of columns, one of which becomes the index."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "Tables require pandas; pip install 'sklearn-pacmdl[plot]' installs it."
        ) from error
    return pd.DataFrame(columns).set_index(index)
