"""Classifiers as candidates: fitted to the labels of selecting rows, and to no others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import column_or_1d

from ..certification import SplitCounter, fold_numbers
from ..estimators import last_step, num_samples, rows_of_metadata, split_rows

# Where classes may be left out, rows of a class are told apart by how sure the classifier
# is, by quarters of the selecting rows. On four data sets with half of the labels, and
# targets of 5 and 10%, mean coverage was 41% by classes alone, 66% with halves and 67%
# with quarters; by Ward's cuts 54%.
_N_LEVELS = 4
# Where semi-supervised classifiers are from, in whose fit -1 marks unlabeled rows.
_SEMI_SUPERVISED = ("sklearn.semi_supervised.", __name__.partition(".")[0] + ".")


def _is_semi_supervised(estimator):
    kinds = type(last_step(estimator)[1]).__mro__
    return any(kind.__module__.startswith(_SEMI_SUPERVISED) for kind in kinds)


class Targets:
    """What stands for the classes of the selecting rows in a fit."""

    # Nothing here depends on classes that only other rows have.

    def __init__(self, estimator: Any, codes: NDArray, classes: NDArray):
        self.codes = np.unique(codes[codes < len(classes)])  # among all classes
        # A new array: the length of texts is that of the longest class.
        self.values = np.array(classes[self.codes].tolist())
        # Numbers where the classes would hide -1.
        if self.values.dtype.kind not in "iu" and _is_semi_supervised(estimator):
            self.values = np.arange(len(self.codes))

    def decoded(self, predicted: Any) -> NDArray[np.integer]:
        """Class codes of predictions."""
        predicted = column_or_1d(predicted)
        places = np.searchsorted(self.values, predicted)
        places = np.minimum(places, len(self.values) - 1)
        if not np.array_equal(self.values[places], predicted):
            raise ValueError("The classifier predicts classes that it was not fitted to.")
        return self.codes[places]


class Lesson:
    """What a classifier may learn from on one split: rows, and some of the labels."""

    # All rows are in the permuted order; certifying ones count as unlabeled.

    def __init__(self, job: Any, counter: SplitCounter, split: int):
        select, _ = counter.divisions[split]
        self.job, self.estimator = job, job.configured()
        self.places = np.flatnonzero(np.isin(counter.order, select))
        self.codes = counter.codes[counter.order[self.places]]
        self.targets = Targets(self.estimator, self.codes, job.classes)
        self.n_levels = _N_LEVELS if counter.goal.abstains else 1

    def training_rows(self, which: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """The rows of a fit, and their targets, of all selecting rows or of some."""
        # Labels that are none of the classes teach nothing.
        taught = np.isin(self.codes, self.targets.codes)
        taught = taught if which is None else taught & which
        rows, codes = self.places[taught], self.codes[taught]
        y = self.targets.values[np.searchsorted(self.targets.codes, codes)]
        if not _is_semi_supervised(self.estimator):
            return rows, y
        every = np.full(num_samples(self.job.X), -1)
        every[rows] = y
        return np.arange(len(every)), every

    def fit_and_predict(self) -> tuple[Any, list[NDArray]]:
        """The classifier; classes with cross-validated ones, and as it predicts them."""
        # The former where rows select, since it may know these by heart.
        classifier, predicted = self._predicted(None, np.arange(num_samples(self.job.X)))
        crossed = predicted.copy()
        folds = fold_numbers(self.codes)
        for fold in np.unique(folds):
            left_out = self.places[folds == fold]
            _, crossed[:, left_out] = self._predicted(folds != fold, left_out)
        shares = np.arange(1, self.n_levels) / self.n_levels
        cuts = np.quantile(crossed[1, self.places], shares)
        return classifier, [
            codes + len(self.job.classes) * np.searchsorted(cuts, sure)
            for codes, sure in (crossed, predicted)
        ]

    def _predicted(self, which, rows):
        """A classifier that some selecting rows teach; class codes, and how sure."""
        training, y = self.training_rows(which)
        X, n_rows = self.job.X, num_samples(self.job.X)
        metadata = rows_of_metadata(self.job.fit_params, training, n_rows)
        classifier = clone(self.estimator)
        classifier.fit(split_rows(self.estimator, X, training), y, **metadata)
        predict = split_rows(self.estimator, X, rows, training)
        sure = np.zeros(len(rows))
        if self.n_levels > 1 and hasattr(classifier, "predict_proba"):
            sure = _largest_probability(classifier, predict)
        codes = self.targets.decoded(classifier.predict(predict))
        return classifier, np.stack([codes, sure])


def _largest_probability(classifier, rows):
    """Probability of the class of each row; 0 where the classifier knows none."""
    return np.nan_to_num(classifier.predict_proba(rows).max(axis=1))


def fit_classifier(job: Any, counter: SplitCounter) -> tuple[NDArray, Any]:
    """Fit a classifier on each split: what each predicts of all rows, and the first."""
    # Of shape (2, n_splits, n_samples), with rows in the user's order: cross-validated
    # where rows select, and then as the classifiers predict them. These are codes of
    # classes and, in multiples of the number of classes, levels of confidence.
    n_splits, order = len(counter.splits), counter.order
    fits = [Lesson(job, counter, split).fit_and_predict() for split in range(n_splits)]
    codes = np.empty((2, n_splits, len(order)), dtype=np.int32)
    for split, (_, predicted) in enumerate(fits):
        codes[:, split, order] = predicted
    return codes, fits[0][0]


def probabilities(job: Any, counter: SplitCounter, classifier: Any) -> NDArray:
    """Probabilities of the classes that the classifier of the first split predicts."""
    lesson, order = Lesson(job, counter, 0), counter.order
    training, _ = lesson.training_rows()
    rows = split_rows(lesson.estimator, job.X, np.arange(len(order)), training)
    confidence = np.empty(len(order))
    confidence[order] = _largest_probability(classifier, rows)
    return confidence
