"""What share of the rows is truly of a class, by an audit and a labeling of all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import (
    MAX_COUNT,
    MOST_DIVIDED,
    float_above,
    float_below,
    stratified_upper_bound,
)
from ..certificates import Comparison, check_classes, clauses, with_counts
from ..utils._checks import check_open_unit, exact_decimal, invalid, is_iterable
from ..utils._words import as_frame, between, counted, percent, percent_below
from ._audit import Audit, check_audit
from ._audited import AuditedCertificate, LabelingCertificate, check_counts
from ._audited_labels import audited_labels, known_classes, named_classes
from ._class_bounds import share_of_delta
from ._designs import by_number
from ._segments import of_each_segment

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class ShareCertificate(LabelingCertificate, kind="share"):
    """Result of :func:`certify_share`: the share of the rows that is truly of a class.

    Attributes
    ----------
    of : tuple of str, int, float or bool
        The class, or several that count as one.
    strata : tuple of tuple of int
        For each stratum the numbers of its rows, of audited rows, and of those among
        these that are truly of the class.
    n_predicted : int
        Rows that the labels say are of the class.
    n_excluded : int, default=0
        Rows of the data set that could not be drawn; nothing is said about them.
    n_strata_drawn : int, default=0
        Number of strata of which each had its own drawing; 0 if all rows had one.
    lower_bound, upper_bound : int, default=0
        Bounds of the number of rows that are truly of the class.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.
    segment : str, default=None
        The segment of the rows that the statement is about; None if it is about all.
    fingerprints : mapping of str to str
        SHA-256 digests of the human "labels", of the "labeling" and of the "audit".
    lower, upper : float
        Bounds of the share, in [0, 1].
    estimate : float
        The share in each stratum, weighted by its rows; in [lower, upper].
    n_rows, n_audited : int
        Numbers of rows that could be drawn, and of audited rows.
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.

    See Also
    --------
    certify_share : Makes it.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import ShareCertificate, certify_share, draw_audit
    >>> labels = np.arange(500) % 5
    >>> audit = draw_audit(500, 100, labels=labels, random_state=0)
    >>> certificate = certify_share(labels, audit, labels[audit.rows], of=3)
    >>> certificate
    ShareCertificate(3: 18.20% to 22.80% of 500 rows, delta=0.1)
    >>> bool(ShareCertificate.from_json(certificate.to_json()).verify())
    True
    """

    of: tuple[str | int | float | bool, ...]
    strata: tuple[tuple[int, int, int], ...]
    n_predicted: int
    n_excluded: int = 0
    n_strata_drawn: int = 0
    lower_bound: int = 0
    upper_bound: int = 0

    _title = "a certificate of a share"
    _following = AuditedCertificate._following | {"lower_bound", "upper_bound"}

    _counted_as = "n_truly"

    @property
    def _of_kind(self) -> str:
        return f"rows that are truly {self._classes}"

    @property
    def _drawn_by(self) -> str:
        return " in strata" * bool(self.n_strata_drawn)

    @property
    def _counts(self) -> tuple[int, int, int]:
        return self.n_rows, self.n_audited, self._n_truly

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
        return (*self._assumed_of_people(), clauses.BEFOREHAND)

    @property
    def n_rows(self) -> int:
        return sum(rows for rows, _, _ in self.strata)

    @property
    def n_audited(self) -> int:
        return sum(audited for _, audited, _ in self.strata)

    @property
    def _audited(self) -> str:
        return f"the {counted(self.n_audited, 'audited row')}"

    @property
    def _chosen(self) -> str:
        n, audited = self.n_strata_drawn, f"{self._audited}{self._of_segment}"
        return f"{audited} in {n} {'strata' if n > 1 else 'stratum'}" if n else audited

    @property
    def _n_truly(self) -> int:
        return sum(found for _, _, found in self.strata)

    @property
    def lower(self) -> float:
        return float_below(Fraction(self.lower_bound, self.n_rows))

    @property
    def upper(self) -> float:
        return float_above(Fraction(self.upper_bound, self.n_rows))

    @property
    def estimate(self) -> float:
        overall = Fraction(self._n_truly, self.n_audited)
        number = sum(n * (Fraction(x, m) if m else overall) for n, m, x in self.strata)
        inside = min(max(number, self.lower_bound), self.upper_bound)
        return float(inside / self.n_rows)

    @property
    def _classes(self) -> str:
        return " or ".join(map(repr, self.of))

    @property
    def _limits(self) -> str:
        n, low, high = self.n_rows, self.lower_bound, self.upper_bound
        most = percent(high, n)
        return most if low == high else f"{percent_below(low, n)} to {most}"

    @property
    def claim(self) -> str:
        drawable = self._of_segment + " that could be drawn" * (self.n_excluded > 0)
        return (
            f"{between(self.lower_bound, self.upper_bound)} of all {self.n_rows} rows"
            f"{drawable} ({self._limits}) are truly {self._classes}: {self._n_truly} of "
            f"{self._audited} {'is' if self.n_audited == 1 else 'are'}, and "
            f"{self.n_predicted} of all rows by the labels"
        )

    def _checked(self) -> Self:
        checked = super()._checked()
        of = check_classes(self.of)
        if not of:
            raise invalid("of", "at least one class", self.of)
        strata = check_counts("strata", self.strata)
        n_rows = sum(rows for rows, _, _ in strata)
        if not 0 < sum(audited for _, audited, _ in strata) < n_rows <= MAX_COUNT:
            allowed = "counts of strata, of which some rows were audited, and not all"
            raise invalid("strata", allowed, self.strata)
        of_rows = ("n_predicted", "n_strata_drawn", "lower_bound", "upper_bound")
        most = dict.fromkeys(of_rows, n_rows) | {"n_excluded": MAX_COUNT}
        return replace(with_counts(checked, **most), of=of, strata=strata)

    def _bounded(self) -> Self:
        rows, audited, found = np.array(self.strata).T
        half = float_below(exact_decimal(self.delta) / 2)
        others = stratified_upper_bound(audited - found, audited, rows, half)
        upper = stratified_upper_bound(found, audited, rows, half)
        return replace(self, lower_bound=self.n_rows - others, upper_bound=upper)

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "certified by", self.kind
        yield "classes", self._classes
        yield "rows", f"{self.n_rows}"
        yield "rows by the labels", f"{self.n_predicted}"
        for rows, audited, found in self.strata:
            yield "stratum", f"{found} of {audited} audited rows of {rows}"
        yield "estimate", f"{self.estimate:.2%}"
        yield "delta", f"{self.delta:g}"
        yield "bounds", f"{self.lower_bound} to {self.upper_bound} ({self._limits})"

    def to_frame(self) -> pd.DataFrame:
        """Make the table of the class, which requires pandas.

        Returns
        -------
        frame : DataFrame, indexed by class
            ``n_rows`` that could be drawn, ``n_predicted`` (rows of the class by the
            labels), ``n_audited`` and ``n_truly`` (audited rows truly of the class). The
            ``estimate`` of the share, and its bounds ``lower`` and ``upper``, in [0, 1].
            ``lower_bound`` and ``upper_bound`` of the rows truly of the class. ``delta``.
        """
        return as_frame(self._columns(), "class")

    def _columns(self) -> dict[str, Sequence[Any]]:
        names = ["n_rows", "n_predicted", "n_audited", "estimate", "lower", "upper"]
        names += ["lower_bound", "upper_bound", "delta"]
        columns = {"class": " or ".join(map(str, self.of)), "n_truly": self._n_truly}
        columns |= {name: getattr(self, name) for name in names}
        return {name: [value] for name, value in columns.items()}

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        return self._columns(), {"by the labels": self.n_predicted / self.n_rows}

    def __repr__(self) -> str:
        name = type(self).__name__
        if nothing := self._states_nothing():
            return f"{name}({nothing})"
        limits = f"{self._limits} of {self.n_rows} rows"
        return f"{name}({self._classes}: {limits}, delta={self.delta})"

    def _set(self) -> dict[str, Any]:
        return super()._set() | {"of": self.of}

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        return certify_share(**arguments)


def certify_share(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    of: Any,
    delta: float = 0.1,
    by: ArrayLike | None = None,
) -> Any:
    """Certify what share of the rows is truly of a class, from both sides.

    All rows have a label that may be wrong, such as that of a language model, and people
    labeled a random choice of them. The better the labels, the tighter the bounds, which
    hold for any labels and any number of rows.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The labeling: integers, text or booleans. -1 or a missing value marks a row
        without a label.
    audit : Audit
        The audited rows, as :func:`draw_audit` returned them.
    audit_labels : array-like of shape (audit.size,)
        Labels that people gave to the audited rows, in drawing order: those of
        ``audit.rows``. None may be missing.
    of : label, array-like of shape (n_labels,), or mapping
        The class whose share is certified. Several classes count as one: it is the share
        of the rows that are of any of them. A mapping of names to classes makes one
        certificate for each. Fix it before the audit.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.
        With k certificates, ``delta / k`` is the delta of each.
    by : array-like of shape (n_rows,), default=None
        The segment of each row, such as its year or source, made without the human
        labels and decided on before these are seen. Each segment gets a statement, and
        all hold together: with k segments, ``delta / k`` is the delta of each. Rows of no
        segment (-1 or a missing value) are left out.

    Returns
    -------
    certificate : ShareCertificate, SegmentsCertificate or dict of str to these
        Bounds of the number and of the share, which hold together: half of ``delta`` is
        spent on either side. With ``by``, a table of the segments. By a mapping, one of
        these for each of its names, which all hold together.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, a label of an audited row is missing, or the
        audit was drawn for another labeling, by groups, or from the surest rows. Also if
        ``of`` names a class that neither the labels nor the people nor the audit know.

    Warns
    -----
    UserWarning
        If people gave labels that are not in ``labels``. They count as classes of their
        own, which may be in ``of``.

    See Also
    --------
    certify_labels : Certifies how many labels are wrong.
    sklearn_pacmdl.bounds.stratified_upper_bound : The bounds, from counts.

    Notes
    -----
    The rows that are of the class by their labels, and the others, are two strata, each
    with its audited rows. If strata were drawn, it is these, each divided by the labels
    if there are few. See :doc:`/theory` for the proof.

    This requires that the labels, and ``of``, were fixed before the people labeled the
    audited rows. This excludes setting a threshold by these answers, and continuing an
    audit after a look. Rows that were excluded do not count, and audited rows do.

    With :func:`certify_labels` on the same audit, both statements hold together with
    probability at least ``1 - 2 * delta``, and so do two calls with another ``of`` or
    ``by``. If the class is rare, draw as many rows from either stratum (``strata=`` of
    :func:`draw_audit`): this gains most.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import certify_share, draw_audit
    >>> rng = np.random.RandomState(0)
    >>> truth = np.where(rng.uniform(size=5000) < 0.1, "spam", "ham")
    >>> labels = np.where(rng.uniform(size=5000) < 0.03, "spam", truth)
    >>> audit = draw_audit(5000, 200, labels=labels, random_state=0)
    >>> certificate = certify_share(labels, audit, truth[audit.rows], of="spam")
    >>> print(certificate.statement)
    With probability at least 90% over the random choice of the 200 audited rows, \
between 392 and 617 of all 5000 rows (7.84% to 12.34%) are truly 'spam': 16 of the 200 \
audited rows are, and 652 of all rows by the labels, provided the labels that people \
gave to the audited rows are right, the audit was not drawn again or chosen because of \
its result and what to state was decided before labels of the audited rows were seen.
    """
    delta = check_open_unit("delta", delta)
    check_audit(audit, "certify_share", "strata")
    if isinstance(of, Mapping) and not of:
        raise invalid("of", "a class, several, or a mapping with at least one name", of)
    of_names = dict(of) if isinstance(of, Mapping) else {"": of}
    classes = {
        name: named_classes("of", each if is_iterable(each) else [each], audit)
        for name, each in of_names.items()
    }
    count_as = "classes of their own, of which labels tell nothing"
    checked = audited_labels(labels, audit, audit_labels, by=by, others_count_as=count_as)
    if checked.n_less_sure:
        allowed = "one of all rows, not of the surest ones, for certify_share"
        raise invalid("audit", allowed, audit)
    share = share_of_delta(delta, len(of_names))
    digests = checked.fingerprints(checked.predicted, audit.pool)
    either = {*checked.classes.tolist(), *audit.classes.values()}
    known = np.array(sorted(either, key=str))
    certificates: dict[str, Any] = {}
    for name, each in classes.items():
        wanted = known_classes(each, known, of_names[name], "labels")
        codes = np.flatnonzero(np.isin(checked.classes, wanted))
        fields: Any = {"of": tuple(wanted), "codes": codes, "fingerprints": digests}
        found = np.isin(checked.truth, codes)
        table = of_each_segment(_certified, checked, share, found, **fields)
        certificates[name] = table
    return certificates if isinstance(of, Mapping) else certificates[""]


def _certified(checked, delta, *, of, codes, fingerprints) -> ShareCertificate:
    """The certificate of the share of these classes, of all rows or of a segment."""
    audit, pool = checked.audit, checked.of_these(checked.audit.pool)
    predicted = np.isin(checked.predicted[pool], codes)
    found = np.isin(pool, audit.rows[np.isin(checked.truth, codes)])
    drawn = audit.design.number[pool] if audit.design.kind == "strata" else None
    audited = np.isin(pool, audit.rows)
    return ShareCertificate._of(
        checked,
        of=of,
        strata=_strata(drawn, predicted, audited, found),
        n_predicted=int(predicted.sum()),
        delta=delta,
        fingerprints=fingerprints,
        n_strata_drawn=0 if drawn is None else len(np.unique(drawn)),
    )


def _strata(drawn, predicted, audited, found):
    """Counts of strata, of masks of the rows; sizes decide about strata."""
    number: NDArray[np.integer] = predicted.astype(np.int8)
    if drawn is not None:
        divided = 2 * (drawn + 1) + number
        is_small = np.count_nonzero(np.bincount(divided)) <= MOST_DIVIDED
        number = divided if is_small else drawn + 1
    counts = by_number(number, slice(None), audited, found)
    return tuple((n, m, x) for n, m, x in counts if n)
