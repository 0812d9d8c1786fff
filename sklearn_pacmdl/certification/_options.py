"""Labelings of clusters that may be claimed, with their counts and weights."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..utils._checks import as_array, check_flag, invalid
from ..utils._labels import ABSTAIN
from ._counts import ClusterCounts


def joined(terms: Mapping[str, Fraction], more: Mapping[str, Fraction]) -> dict:
    """Terms of one weight: the product of all, so that none may hide another."""
    shared = terms.keys() & more.keys()
    if shared:
        raise ValueError(
            f"The terms {sorted(shared)} of a labeling's weight are used for something "
            "else in the same weight; give them other names."
        )
    return {**terms, **more}


class Option(NamedTuple):
    """A labeling of clusters that may be claimed, with its counts and its weight.

    Parameters
    ----------
    classes : ndarray of shape (n_clusters,) of int
        Class codes; -1 for clusters that are left out.
    terms : mapping of str to Fraction
        Factors of the weight of the labeling, by name.
    n_train, n_test : int
        Numbers of certifying rows and of unlabeled rows that are given a class.
    train_errors : int
        Number of errors among the ``n_train`` rows.
    test_errors : int
        Number of errors among the ``n_test`` rows; -1 if unknown.
    clusters : ndarray of shape (n_accepted, 3) of int, default=None
        Rows, certifying rows and errors among these of each cluster that is given a
        class, for ways to certify whose bounds depend on single clusters.
    facts : mapping of str to number or str, default={}
        What a certificate has to record of how the option is certified.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import ClusterCounts, Option
    >>> counts = ClusterCounts.from_tables([[28, 2], [1, 29]], unlabeled=[70, 70])
    >>> option = Option.of(counts, np.array([0, -1]), terms={})
    >>> option.n_train, option.train_errors, option.n_test
    (30, 2, 70)
    """

    classes: np.ndarray
    terms: Mapping[str, Fraction]
    n_train: int
    n_test: int
    train_errors: int
    test_errors: int
    clusters: np.ndarray | None = None
    facts: Mapping[str, float | str] = {}

    @classmethod
    def of(
        cls,
        counts: ClusterCounts,
        classes: np.ndarray,
        terms: Mapping,
        *,
        by_cluster: bool = False,
    ) -> "Option":
        """Make an option by counting the rows and errors of a labeling.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.
        terms : mapping of str to Fraction
            Factors of the weight of the labeling, by name.
        by_cluster : bool, default=False
            Whether to keep the counts of each cluster.

        Returns
        -------
        option : Option
            The labeling with its counts.
        """
        if not isinstance(counts, ClusterCounts):
            raise invalid("counts", "ClusterCounts", counts)
        codes = as_array("classes", classes)
        whole = codes.dtype.kind in "iu" and codes.shape == counts.sizes.shape
        if not whole or not np.all((codes >= ABSTAIN) & (codes < counts.n_classes)):
            allowed = f"{len(counts.sizes)} class codes, one for each cluster"
            raise invalid("classes", allowed, classes)
        if not isinstance(terms, Mapping):
            raise invalid("terms", "a mapping of terms to weights", terms)
        check_flag("by_cluster", by_cluster)
        accepted = np.flatnonzero(classes != ABSTAIN)

        def errors(table):
            return table[accepted].sum(axis=1) - table[accepted, classes[accepted]]

        seen, wrong = counts.certify[accepted].sum(axis=1), errors(counts.certify)
        rows = counts.test[accepted] + seen
        return cls(
            classes=classes,
            terms=terms,
            n_train=int(seen.sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=int(wrong.sum()),
            test_errors=-1 if counts.hidden is None else int(errors(counts.hidden).sum()),
            clusters=np.stack([rows, seen, wrong], axis=1) if by_cluster else None,
        )
