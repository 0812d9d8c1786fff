"""Fitted attributes of an estimator before, during and after a fit that may fail."""

from contextlib import contextmanager


def forget(estimator):
    """Drop the attributes of an earlier fit, since not every fit sets all of them."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


@contextmanager
def restored_on_failure(estimator):
    """Drop the attributes of an earlier fit, but restore them if this fit fails."""
    fitted = {name: v for name, v in vars(estimator).items() if name.endswith("_")}
    forget(estimator)
    try:
        yield
    except BaseException:
        forget(estimator)
        vars(estimator).update(fitted)
        raise
