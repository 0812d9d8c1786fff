"""How two labelings, or two versions of a system, differ, by an audit of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..bounds import MAX_COUNT, difference_bounds
from ..certificates import (
    MOST_LISTED,
    Comparison,
    Verification,
    check_classes,
    clauses,
    digest_of_labels,
)
from ..columns import (
    check_same_writing,
    check_writing,
    in_type_of,
    renamed,
    report_alike,
    split_unlabeled,
    unique_inverse,
)
from ..utils._checks import check_integer, check_open_unit, invalid, is_iterable, shown
from ..utils._row_order import check_order_of_rows, check_same_order
from ..utils._words import between, counted, percent, percent_below
from ..worksheets import check_answers, placed
from ._audit import Audit, check_audit
from ._audited import AuditedCertificate
from ._audited_labels import audited_labels, known_classes, named_classes
from ._pool import check_labels


@dataclass(frozen=True, kw_only=True)
class DifferenceCertificate(AuditedCertificate, kind="difference"):
    """Result of :func:`certify_difference`: which labeling, or version, is better.

    Attributes
    ----------
    of : tuple of str, int, float or bool, default=()
        The class, or several that count as one, if two versions were compared.
    n_rows : int
        Rows that could be drawn and are given a label.
    n_audited : int
        Rows that were drawn.
    n_differing, n_audited_differing : int
        Rows where the labelings differ, all and audited ones. All rows of two versions
        count.
    n_first_right, n_second_right : int
        Audited rows where only the first labeling is right, or only the second. Of two
        versions, those where only the output of the first is of the class, or only that
        of the second.
    lower_bound, upper_bound : int, default=0
        Bounds of the wrong rows of the second labeling minus those of the first; negative
        if the second labeling is better. Of two versions, bounds of the rows of the class
        by the second minus those by the first.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.
    segment : str, default=None
        The segment of the rows that the statement is about; None if it is about all.
    fingerprints : mapping of str to str
        SHA-256 digests of the "first" and "second" labeling of all rows, or of the human
        labels for these versions, of the human "labels", and of the "audit".
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.

    See Also
    --------
    certify_difference : Makes it.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import (
    ...     DifferenceCertificate, certify_difference, draw_audit
    ... )
    >>> first, second = np.arange(500) // 250, np.arange(500) % 2
    >>> audit = draw_audit(500, 100, random_state=0)
    >>> certificate = certify_difference(first, second, audit, second[audit.rows])
    >>> certificate.lower_bound, certificate.upper_bound
    (-250, -224)
    >>> bool(DifferenceCertificate.from_json(certificate.to_json()).verify())
    True
    """

    n_rows: int
    n_audited: int
    n_differing: int
    n_audited_differing: int
    n_first_right: int
    n_second_right: int
    lower_bound: int = 0
    upper_bound: int = 0
    of: tuple[str | int | float | bool, ...] = ()

    _title = "a certificate of a difference"
    _fingerprinted = "first", "second", "labels", "audit"
    _following = AuditedCertificate._following | {"lower_bound", "upper_bound"}
    _labelings: ClassVar = {"first": "first", "second": "second"}

    @property
    def _is_of_versions(self) -> bool:
        return isinstance(self.of, tuple) and self.of != ()  # files have anything

    @property
    def _answers(self) -> Mapping[str, str]:
        return self._labelings if self._is_of_versions else super()._answers

    @property
    def _digested(self) -> tuple[str, ...]:
        both = ("first", "second", "audit")
        return both if self._is_of_versions else super()._digested

    @property
    def stated(self) -> tuple[int, int]:
        """Upper bound that is stated, and the number of rows."""
        return self.upper_bound, self.n_rows

    @property
    def fewest(self) -> int:
        """Lower bound that is stated."""
        return self.lower_bound

    @property
    def assumed(self) -> tuple[str, ...]:
        if self._is_of_versions:
            fixed = clauses.OUTPUTS_FIXED, clauses.BEFOREHAND
            return (*self._assumed_of_people(), *fixed)
        return (*self._assumed_of_people(), clauses.BOTH_FIXED)

    @property
    def claim(self) -> str:
        low, high = self.lower_bound, self.upper_bound
        if high <= 0:
            counts = f"{between(-high, -low)} fewer"
        elif low >= 0:
            counts = f"{between(low, high)} more"
        else:
            counts = f"between {-low} fewer and {high} more"
        if self._is_of_versions:
            return self._claim_of_versions(counts)
        return (
            f"the second labeling has {counts} wrong rows than the first: they differ in "
            f"{self.n_differing} of the {self.n_rows} labeled rows that could be drawn; "
            f"{self.n_audited_differing} of these were audited: only the first is right "
            f"in {self.n_first_right} of them, and only the second in "
            f"{self.n_second_right}"
        )

    def _claim_of_versions(self, counts: str) -> str:
        low = percent_below(self.lower_bound, self.n_rows)
        high = percent(self.upper_bound, self.n_rows)
        classes = " or ".join(map(repr, self.of))
        return (
            f"the output of the second version is truly {classes} "
            f"for {counts} rows than that of the first ({low} to {high} of the "
            f"{self.n_rows} rows that could be drawn): in {self.n_first_right} of the "
            f"{counted(self.n_audited, 'audited row')} only the first is, and in "
            f"{self.n_second_right} only the second"
        )

    @property
    def _chosen(self) -> str:
        return f"the {counted(self.n_audited, 'audited row')}"

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        n, m = self.n_rows, self.n_audited_differing
        gain, loss = self._counted
        what, line = "wrong labels", "equally many wrong"
        if self._is_of_versions:
            what, line = " or ".join(map(str, self.of)), "equally many"
        columns = {
            "what": f"{what}, second minus first",
            "rows": n,
            "rows where they may differ": self.n_differing,
            "of these audited": m,
            "only the first": self.n_first_right,
            "only the second": self.n_second_right,
            "estimate": (gain - loss) * self.n_differing / (m * n) if m else nan,
            "lower bound": self.lower_bound,
            "upper bound": self.upper_bound,
            "lower": self.lower_bound / n,
            "upper": self.upper_bound / n,
        }
        return {name: [value] for name, value in columns.items()}, {line: 0}

    def _checked(self) -> Self:
        checked, n_audited = super()._checked(), self.n_audited_differing
        check_integer("n_rows", self.n_rows, 1, MAX_COUNT)
        check_integer("n_differing", self.n_differing, 1, self.n_rows)
        check_integer("n_audited", self.n_audited, 1, MOST_LISTED)
        most = min(self.n_differing, self.n_audited)
        check_integer("n_audited_differing", n_audited, 0, most)
        first = check_integer("n_first_right", self.n_first_right, 0, n_audited)
        check_integer("n_second_right", self.n_second_right, 0, n_audited - first)
        for name in ("lower_bound", "upper_bound"):
            check_integer(name, getattr(self, name), -self.n_differing, self.n_differing)
        of = check_classes(self.of)
        if of and (self.n_differing, n_audited) != (self.n_rows, self.n_audited):
            what = "n_differing and n_audited_differing must count all rows of versions"
            raise ValueError(f"{what}, got {self.n_differing} and {n_audited}.")
        return replace(checked, of=of)

    @property
    def _counted(self) -> tuple[int, int]:
        """Audited rows that add to the difference, and those that take from it."""
        right = self.n_first_right, self.n_second_right
        return right[::-1] if self._is_of_versions else right

    def _bounded(self) -> Self:
        sizes = self.n_audited_differing, self.n_differing
        low, high = difference_bounds(*self._counted, *sizes, self.delta)
        return replace(self, lower_bound=low, upper_bound=high)

    def verify(
        self,
        first: ArrayLike | None = None,
        second: ArrayLike | None = None,
        audit: Audit | None = None,
        audit_labels: ArrayLike | None = None,
        *,
        data: Any = None,
    ) -> Verification:
        """Compute the bounds again, and certify again if the data are given.

        Parameters
        ----------
        first, second, audit, audit_labels : object, default=None
            What :func:`certify_difference` was called with: all of them, or none. Of two
            versions, ``audit_labels`` is left out.
        data : data frame or mapping of str to str, default=None
            The columns that annotators saw, of all rows of the data set, or their
            digests, to compare with those of the audit. Other columns are listed as not
            checked.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. Its outcome says whether data were
            compared. Printed, it lists what was checked and what was not.

        Raises
        ------
        ValueError
            If only some of the data are given, or they do not fit together.
        """
        given: Any = {"first": first, "second": second, "audit": audit}
        if not self._is_of_versions:
            given["audit_labels"] = audit_labels
        elif audit_labels is not None:
            raise invalid("audit_labels", "None for two versions", audit_labels)
        return self._verified(data, **given)

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        return certify_difference(**arguments, of=self.of or None)


def certify_difference(
    first: ArrayLike,
    second: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike | None = None,
    *,
    of: Any = None,
    delta: float = 0.1,
) -> DifferenceCertificate:
    """Certify which of two labelings, or versions of a system, is better, by one audit.

    Both have to be fixed before the audit was drawn. Only rows where they differ matter,
    so the bounds are mostly much tighter than a difference of two bounds.

    Parameters
    ----------
    first, second : array-like of shape (n_rows,), or (audit.size,) with ``of``
        The labelings: integers, text or booleans. -1 or a missing value marks a row
        without a label, in both of them; such rows are not counted. If the audit was
        drawn for a labeling, it is one of them. With ``of``, these are human labels of
        the outputs of two versions for the audited rows, in drawing order.
    audit : Audit
        The audited rows, as :func:`draw_audit` returned them.
    audit_labels : array-like of shape (audit.size,), default=None
        Labels that people gave to the audited rows, in drawing order; none may be
        missing. Left out with ``of``.
    of : label or array-like of shape (n_labels,), default=None
        The class that is counted, such as "good", where two versions gave an output for
        each row, and people labeled both outputs. Several classes count as one. Fix it
        before the audit.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    certificate : DifferenceCertificate
        Lower and upper bound of the number of wrong rows of the second labeling minus
        that of the first. With ``of``, it is the number of rows where the output of the
        second version is of the class, minus that of the first. Both bounds hold
        together: half of ``delta`` is spent on each.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, a label of an audited row is missing, or the
        audit was drawn for another labeling or for whole groups. Also if the labelings
        are equal, label different rows or write a class in different ways, if no human
        label is a class of one of them, or if no output is of the class.

    See Also
    --------
    certify_labels : Certifies the errors of one labeling.
    sklearn_pacmdl.certify_clusterings : Chooses among many clusterings.

    Notes
    -----
    Of the rows where the labelings differ, in P only the first is right, and in Q only
    the second. The bounds of P - Q are valid for finite samples. Audits are ordered by an
    approximate limit of the difference. A difference is excluded if, for *all* P and Q
    with this difference, an audit as extreme as this one has a probability below
    ``delta / 2``. Where the labelings differ in more than 4000 rows, bounds may be too
    wide by a 4096th of these. See Theorem 10 of :doc:`/theory`.

    If the better of two labelings is chosen by this audit, certify it by another one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import certify_difference, draw_audit
    >>> rng = np.random.RandomState(0)
    >>> truth = rng.choice(["ham", "news", "spam"], size=5000)
    >>> first = np.where(rng.uniform(size=5000) < 0.15, "ham", truth)
    >>> second = np.where(rng.uniform(size=5000) < 0.06, "spam", truth)
    >>> audit = draw_audit(5000, 400, random_state=0)
    >>> print(certify_difference(first, second, audit, truth[audit.rows]).statement)
    With probability at least 90% over the random choice of the 400 audited rows, the \
second labeling has between 240 and 469 fewer wrong rows than the first: they differ in \
649 of the 5000 labeled rows that could be drawn; 53 of these were audited: only the \
first is right in 10 of them, and only the second in 40, provided the labels that people \
gave to the audited rows are right, the audit was not drawn again or chosen because of \
its result and both labelings were fixed before the audit was drawn.
    """
    delta = check_open_unit("delta", delta)
    check_audit(audit, "certify_difference")
    named = {"first": first, "second": second}
    if of is not None:
        if audit_labels is not None:
            allowed = "None with audit_labels: with of, first and second are human labels"
            raise invalid("of", allowed, of)
        return _of_versions(named, audit, of, delta)
    if audit_labels is None:
        raise invalid("audit_labels", "human labels, or left out with of", audit_labels)
    both = {
        name: check_labels(each, audit.n_rows, name, audit.classes)
        for name, each in named.items()
    }
    check_same_order(**named)
    digests = {name: digest_of_labels(each, name) for name, each in both.items()}
    stored = audit.fingerprints.get("labeling")
    if stored is not None and stored not in digests.values():
        what = "first or second must be the labeling that the audit was drawn for"
        raise ValueError(f"{what}, whose SHA-256 digest is {stored}.")
    drawn_for = "second" if digests["second"] == stored else "first"
    rows, by_name = _comparable(both)
    of_first, of_second = by_name.values()
    classes = np.concatenate([unique_inverse(each)[0] for each in by_name.values()])
    checked = audited_labels(named[drawn_for], audit, audit_labels, alternatives=classes)
    answers = checked.classes[checked.truth]
    answers = in_type_of(answers, of_first, "first and audit_labels").astype(object)
    _check_vocabularies(by_name, answers, audit)
    can_be_drawn = np.isin(rows, audit.pool)
    differs = can_be_drawn & (of_first.astype(object) != of_second.astype(object))
    if not differs.any():
        raise invalid("second", "a labeling that differs from first", second)
    truth = audit.labels_by_row(answers)
    audited = differs & np.isin(rows, audit.rows)
    n_first_right, n_second_right = (
        int(np.sum(each[audited].astype(object) == truth[rows[audited]]))
        for each in (of_first, of_second)
    )
    of_audit = checked.fingerprints(checked.predicted, audit.pool)
    return _certified(
        audit,
        n_rows=int(can_be_drawn.sum()),
        n_differing=int(differs.sum()),
        n_audited_differing=int(audited.sum()),
        n_first_right=n_first_right,
        n_second_right=n_second_right,
        delta=delta,
        fingerprints=digests | {name: of_audit[name] for name in ("labels", "audit")},
    )


def _of_versions(named, audit, of, delta) -> DifferenceCertificate:
    """Of how many more rows the output is of a class by the second version."""
    if problems := "; ".join(audit.verify(n_rows=audit.n_rows).problems):
        raise ValueError(f"audit must be as it was drawn, but {problems}.")
    classes = named_classes("of", of if is_iterable(of) else [of], audit)
    check_same_order(**named)
    answers, digests = {}, {}
    for name, values in named.items():
        check_order_of_rows(name, values, audit.rows, "audit.rows")
        each = check_answers(renamed(values, audit.classes, name), audit.rows, name)
        by_row = placed(each, audit.rows, audit.n_rows)
        answers[name], digests[name] = each, digest_of_labels(by_row, name)
    first, second = answers.values()
    first, second = first.tolist(), in_type_of(second, first, "first and second").tolist()
    check_same_writing("second", second, {*first}, "first")
    for name, labels in ("first", first), ("second", second):
        report_alike(name, Counter(labels))
    known = np.array(sorted({*first, *second, *audit.classes.values()}, key=str))
    wanted = known_classes(classes, known, of, "first and second")
    by_first, by_second = (np.isin(each, wanted) for each in (first, second))
    return _certified(
        audit,
        of=tuple(wanted),
        n_rows=len(audit.pool),
        n_differing=len(audit.pool),
        n_audited_differing=audit.size,
        n_first_right=int(np.sum(by_first & ~by_second)),
        n_second_right=int(np.sum(by_second & ~by_first)),
        delta=delta,
        fingerprints=digests | {"audit": audit.digest},
    )


def _certified(audit: Audit, **counts: Any) -> DifferenceCertificate:
    fields = counts | audit._of_certificates
    return DifferenceCertificate._made(n_audited=audit.size, **fields)


def _comparable(both):
    """Rows with a label, and their labels by the first and the second, in one type."""
    (labeled, of_first), (labeled_again, of_second) = (
        split_unlabeled(each, None, name) for name, each in both.items()
    )
    if not np.array_equal(labeled, labeled_again):
        what = "first and second must have a label in the same rows"
        first, second = both.values()
        raise ValueError(f"{what}, got {shown(first)} and {shown(second)}.")
    of_second = in_type_of(of_second, of_first, "first and second")
    names, more_names = ({*each.tolist()} for each in (of_first, of_second))
    check_same_writing("second", more_names, names, "first")
    return np.flatnonzero(labeled), {"first": of_first, "second": of_second}


def _check_vocabularies(by_name, answers, audit) -> None:
    """Compare the classes of people with those of each labeling alone.

    A labeling that gives other names to all classes would lose against any other.
    """
    names = {name: {*labels.tolist()} for name, labels in by_name.items()}
    in_either = set().union(*names.values())  # of others there was a warning
    counts = Counter(answer for answer in answers.tolist() if answer in in_either)
    for name, known in names.items():
        known |= {*audit.classes.values()}
        wrong = f"errors of {name}"
        check_writing("audit_labels", counts, known, name, count_as=wrong, few=0)
