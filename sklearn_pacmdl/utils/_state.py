"""What fits leave on an estimator, and what they leave where they fail."""

from contextlib import contextmanager


def forget(estimator):
    """Drop the attributes of an earlier fit: not all are set by every fit."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


@contextmanager
def restored_on_failure(estimator):
    """Start anew, but leave what an earlier fit found where this one fails."""
    fitted = {name: v for name, v in vars(estimator).items() if name.endswith("_")}
    forget(estimator)
    try:
        yield
    except BaseException:
        forget(estimator)
        vars(estimator).update(fitted)
        raise
