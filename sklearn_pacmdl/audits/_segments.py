"""Statements about each segment of the rows, which hold together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..bounds import MAX_COUNT, float_above, float_below
from ..certificates import (
    Arithmetic,
    Certificate,
    Comparison,
    Json,
    Verification,
    are_texts,
    digest_of_numbers,
    with_counts,
)
from ..utils._checks import PRINTABLE, first_of, invalid, shown
from ..utils._printable import escaped
from ..utils._words import as_frame, counted, percent, percent_below
from ._audit import Audit
from ._audited import AuditedCertificate, Counts, TableCertificate, check_counts
from ._audited_labels import MOST_SEGMENTS, AuditedLabels
from ._class_bounds import share_of_delta
from ._designs import by_number

if TYPE_CHECKING:
    import pandas as pd


def _n_at_risk(counts: Iterable[Counts], by_groups: bool) -> int:
    """How many segments have statements that may fail.

    A segment whose rows were all audited, or none, has no such statement. Which segments
    have these says nothing about errors, unless whole groups were drawn.
    """
    return sum(by_groups or 0 < m < n for n, m, _ in counts)


@dataclass(frozen=True, kw_only=True, repr=False)
class SegmentsCertificate(TableCertificate, kind="segments"):
    """A table of segments of the rows, with a certificate for each of them.

    Functions make it where ``by=`` says which segment each row is of.

    Attributes
    ----------
    certificates : mapping of str to Certificate
        The certificate of each segment by its name, as of a whole data set. All hold
        together with probability at least ``1 - delta``.
    others : mapping of str to tuple of int, default={}
        Of each segment without a certificate the numbers of rows that could be drawn (of
        all rows, if none could), of audited rows, and of those among these that are
        counted. If all rows were audited, the last number is known; if none was, nothing
        is known.
    n_outside : int, default=0
        Further rows of these segments, about which nothing is said: they could not be
        drawn, or have no label.
    n_without : int, default=0
        Rows of no segment, which could be drawn; nothing is said about them. Of finished
        data sets, those that are left to people.
    n_audited : int, default=0
        Number of all audited rows.
    max_annotator_errors : int, default=0
        Number of audited rows that may have a wrong human label, in any segment.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.
    segment : str, default=None
        The segment of the rows that the statement is about; None if it is about all.
    fingerprints : mapping of str to str
        SHA-256 digests of what its certificates have digests of, and of the "segments".
    n_statements : int
        Number of statements that share delta.
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.

    See Also
    --------
    certify_labels : Bounds the errors of each segment.
    finish_labels : Meets a target in each segment.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import certify_labels, draw_audit
    >>> labels, year = np.arange(600) % 2, np.where(np.arange(600) < 200, 2023, 2024)
    >>> audit = draw_audit(600, 120, labels=labels, random_state=0)
    >>> table = certify_labels(labels, audit, labels[audit.rows], by=year)
    >>> table.to_frame()[["n_rows", "n_audited", "upper_bound"]]
             n_rows  n_audited  upper_bound
    segment
    2023        200         35           14
    2024        400         85           12
    >>> print(table.certificates["2024"].claim)
    at most 12 of all 400 rows of segment '2024' (3.00%) are labeled wrongly: 0 of the \
85 audited rows and at most 12 of the 315 others
    """

    certificates: Mapping[str, AuditedCertificate]
    others: Mapping[str, Counts] = field(default_factory=dict)
    n_outside: int = 0
    n_without: int = 0
    n_audited: int = 0
    max_annotator_errors: int = 0

    _title = "a certificate of segments"
    _has_names = True
    _has_digests = False  # which those of its segments have
    _fingerprinted = "labels", "labeling", "audit", "finished", "segments"

    @property
    def _first(self) -> Any:
        return next(iter(self.certificates.values()))

    @property
    def assumed(self) -> tuple[str, ...]:
        right, *_ = self._assumed_of_people()
        clauses = chain.from_iterable(c.assumed[1:] for c in self.certificates.values())
        return (right, *dict.fromkeys(clauses))

    @property
    def _chosen(self) -> str:
        return f"the {counted(self.n_audited, 'audited row')}{self._first._drawn_by}"

    @property
    def _arithmetic(self) -> Arithmetic:
        return max((c._arithmetic for c in self.certificates.values()), key=len)

    @property
    def n_statements(self) -> int:
        at_risk = _n_at_risk(self.others.values(), self._first.kind == "groups")
        return len(self.certificates) + at_risk

    @property
    def _left_to_people(self) -> bool:
        """Whether rows without a certificate are."""
        return self._first.kind == "finished"

    @property
    def claim(self) -> str:
        n_segments = len(self.certificates) + len(self.others)
        among = "among the rows that the table counts, " * bool(self.n_outside)
        segments = counted(n_segments, "segment")
        claim = (
            f"in each of {segments}, {among}{self._first._in_table} "
            f"({counted(self.n_statements, 'statement')} that share delta)"
        )
        if self.n_outside:
            further = counted(self.n_outside, "further row")
            claim += f"; {further} of these could not be drawn or have no label"
        if self._left_to_people and self.others:
            names = first_of(map(repr, self.others))
            claim += f"; no row of {names} is labeled automatically"
        elif unknown := [repr(name) for name, (_, m, _) in self.others.items() if not m]:
            claim += (
                f"; nothing is known of {first_of(unknown)}, of which no row was audited"
            )
        whole = [repr(name) for name, (n, m, _) in self.others.items() if m == n]
        if whole and not self._is_of_counts:
            claim += f"; all rows of {first_of(whole)} were audited"
        if self.n_without:
            left = "left to people" if self._left_to_people else "left out"
            claim += f"; {counted(self.n_without, 'row')} of no segment are {left}"
        return claim

    def _checked(self) -> Self:
        checked = super()._checked()
        certificates, most = self.certificates, MOST_SEGMENTS
        is_mapping = isinstance(certificates, Mapping) and 0 < len(certificates) <= most
        if not is_mapping or not all(map(_can_be_inside, certificates.values())):
            allowed = f"a mapping of 1 to {most} names to certificates of audits"
            raise invalid("certificates", allowed, certificates)
        counts = ("n_outside", "n_without", "n_audited", "max_annotator_errors")
        checked = with_counts(checked, **dict.fromkeys(counts, MAX_COUNT))
        checked = replace(checked, others=_check_others(self.others, certificates))
        for name, certificate in certificates.items():
            if problems := certificate._problems() or checked._unlike(name):
                raise ValueError(f"certificates[{name!r}]: {problems[0]}.")
        return checked

    def _unlike(self, name: str) -> list[str]:
        """What the certificate of a segment has that cannot be beside the others."""
        certificate: Any = self.certificates[name]
        digests = {k: v for k, v in self.fingerprints.items() if k != "segments"}
        ours, theirs = (
            {field: getattr(each, field) for field in _OF_ALL} | each._set()
            for each in (self, certificate)
        )
        ours |= {"kind": self._first.kind, "segment": name, "fingerprints": digests}
        theirs |= {field: getattr(certificate, field) for field in ours.keys() - theirs}
        ours["delta"] = certificate.delta
        if "max_annotator_errors" in theirs:
            n_audited = certificate.n_train + certificate.n_train_abstained
            ours["max_annotator_errors"] = min(self.max_annotator_errors, n_audited)
        return [
            f"{field} must be {shown(ours.get(field))}, got {shown(value)}"
            for field, value in theirs.items()
            if ours.get(field) != value
        ]

    def _check_provisos(self) -> None:
        super()._check_provisos()
        further = self.provisos[len(self.assumed) :]
        for name, c in self.certificates.items():
            if c.provisos != (*c.assumed, *further):
                raise invalid(f"certificates[{name!r}]", "one with these provisos", c)

    def _bounded(self) -> Self:
        share = share_of_delta(self.delta, self.n_statements)
        certificates = {}
        for name, certificate in self.certificates.items():
            right = replace(certificate, delta=share)._bounded()
            certificates[name] = replace(right, digest=right._fingerprint())
        return replace(self, certificates=certificates)

    def _wrong_digest(self) -> list[str]:
        inside = chain.from_iterable(
            c._wrong_digest() for c in self.certificates.values()
        )
        return [*super()._wrong_digest(), *inside]

    def _as_json(self) -> Json:
        inside: Any = getattr(self.certificates, "items", tuple)()
        certificates = {
            name: each._as_json() if isinstance(each, Certificate) else each
            for name, each in inside
        }
        return super()._as_json() | {"certificates": certificates}

    @classmethod
    def _from_fields(cls, values: Json) -> Self:
        certificates = values["certificates"]
        if not isinstance(certificates, dict):
            raise ValueError("its certificates are not an object")
        read = {
            name: AuditedCertificate.from_json(json.dumps(each))
            for name, each in certificates.items()
        }
        return super()._from_fields(values | {"certificates": read})

    def verify(
        self,
        labels: ArrayLike | None = None,
        audit: Audit | None = None,
        audit_labels: ArrayLike | None = None,
        *,
        by: ArrayLike | None = None,
        confidence: ArrayLike | None = None,
        finished_labels: ArrayLike | None = None,
        data: Any = None,
    ) -> Verification:
        """Compute the bounds again, and certify again if the data are given.

        Parameters
        ----------
        labels, audit, audit_labels, by : object, default=None
            What the function that made the table was called with: all of them, or none.
        confidence, finished_labels : array-like of shape (n_rows,), default=None
            Likewise of :func:`finish_labels`, and the labels that people use. Of others,
            how sure each label is, where a statement is about the surest rows.
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
        given: dict[str, Any] = {"labels": labels, "audit": audit}
        given |= {"audit_labels": audit_labels, "by": by, "confidence": confidence}
        if "confidence" not in self._may_be_missing:
            given["finished_labels"] = finished_labels
        return self._verified(data, **given)

    @property
    def _may_be_missing(self) -> tuple[str, ...]:  # files have anything
        inside: Any = getattr(self.certificates, "values", tuple)()
        is_finished = any(getattr(each, "kind", "") == "finished" for each in inside)
        return ("finished_labels",) if is_finished else ("confidence",)

    def _compare_labelings(self, comparison, given) -> bool:
        inside = self.certificates.values()
        least_sure = max(inside, key=lambda c: getattr(c, "n_doubtful", 0))
        return least_sure._compare_labelings(comparison, given)

    def _set(self) -> dict[str, Any]:
        settings = self._first._set() | {"delta": self.delta}
        if "max_annotator_errors" in settings:
            settings["max_annotator_errors"] = self.max_annotator_errors
        return settings

    def _unshown(self, given: Mapping[str, Any]) -> Iterator[str]:
        return self._first._unshown(given)

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        if self._left_to_people:
            arguments["certificates"] = self.certificates
        else:
            del arguments["confidence"]
        again = self._first._certified_again(arguments, comparison)
        comparison.check("by", f"{len(again.certificates)} segments counted")
        comparison.digest("by", again.fingerprints["segments"], of="segments")
        return again

    def _differing(self, again: Self) -> Iterator[str]:
        yield from super()._differing(again)
        ours, theirs = self.certificates, again.certificates
        if {n: c.kind for n, c in ours.items()} != {n: c.kind for n, c in theirs.items()}:
            names = (first_of(map(repr, each)) for each in (ours, theirs))
            yield "certificates are of {} here and of {} in the data".format(*names)
            return
        for name, certificate in ours.items():
            for text in certificate._differing(theirs[name]):
                yield f"certificates[{name!r}]: {text}"

    def to_frame(self) -> pd.DataFrame:
        """Make the table of the segments, which requires pandas.

        Returns
        -------
        frame : DataFrame, indexed by segment
            ``n_rows``, ``n_audited``, and the number of audited rows that are counted:
            ``n_wrong`` of :func:`certify_labels`, ``n_truly`` of :func:`certify_share`.
            ``upper_bound`` (count) and ``upper`` (share in [0, 1]) of all rows of the
            segment, and with two sides ``lower_bound`` and ``lower``. All hold together.
            Of :func:`class_report` the columns of each report, with a line for each
            class, and its ``macro_error_bound`` in all of them.
        """
        return as_frame(self._shown_columns(), "segment")

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        return self._columns(), {}

    def _shown_columns(self) -> dict[str, list[Any]]:
        """Those with two sides, or with one."""
        columns = self._columns()
        if self._is_of_counts and self._first.fewest is None:
            del columns["lower_bound"], columns["lower"]
        return columns

    @property
    def _is_of_counts(self) -> bool:
        """Whether there is a number for each segment, or a table of classes."""
        return bool(self._first._counted_as)

    def _columns(self) -> dict[str, list[Any]]:
        if not self._is_of_counts:
            return self._joined(lambda report: report._columns_of_segment())
        names = sorted([*self.certificates, *self.others], key=_place)
        rows = [self._counts(name) for name in names]
        columns: dict[str, list[Any]] = {"segment": names}
        heads = "n_rows", "n_audited", self._first._counted_as
        limits = "lower_bound", "upper_bound", "lower", "upper"
        columns |= zip((*heads, *limits), map(list, zip(*rows, strict=True)), strict=True)
        return columns

    def _joined(self, columns_of: Callable[[Any], Mapping[str, Any]]) -> dict[str, Any]:
        """Tables of all segments, one below the other."""
        names = sorted(self.certificates, key=_place)
        tables = [columns_of(self.certificates[name]) for name in names]
        lengths = [len(table["class"]) for table in tables]
        return {"segment": np.repeat(names, lengths).tolist()} | {
            head: [*chain.from_iterable(table[head] for table in tables)]
            for head in tables[0]
        }

    def _counts(self, name: str) -> tuple[int | float, ...]:
        """Rows, audited rows, those that are counted, and bounds of their number."""
        certificate: Any = self.certificates.get(name)
        if certificate is None:
            counts = n, m, x = self.others[name]
            hidden = self.max_annotator_errors
            low, high = max(x - hidden, 0), min(x + hidden, m)
            high += 0 if self._left_to_people else n - m
        else:
            counts = n, *_ = certificate._counts
            low, high = certificate.fewest or 0, certificate.stated[0]
        shares = float_below(Fraction(low, n)), float_above(Fraction(high, n))
        return *counts, low, high, *shares

    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        """The statement, and columns of texts; shares are those of the bounds."""
        if not self._is_of_counts:
            return self._sentence(), self._joined(lambda report: report._shown()[1])
        columns = self._shown_columns()
        lows = columns.get("lower_bound")
        rates = [*map(percent, columns["upper_bound"], columns["n_rows"])]
        if lows:
            lower = map(percent_below, lows, columns["n_rows"])
            rates = [*map("{} to {}".format, lower, rates)]
        table = {
            name.removeprefix("n_").replace("_", " "): [escaped(str(v)) for v in values]
            for name, values in columns.items()
            if name not in ("lower", "upper")
        }
        return self._sentence(), table | {"share": rates}

    @property
    def _in_short(self) -> str:
        n_segments = len(self.certificates) + len(self.others)
        return f"{counted(n_segments, 'segment')}, delta={self.delta}"


# What the certificates of all segments have in common.
_OF_ALL = "seed_text", "columns", "random_choice_p_value", "random_choice_test"


def _can_be_inside(certificate: Any) -> bool:
    is_of_audit = isinstance(certificate, AuditedCertificate)
    return is_of_audit and certificate._counted_as is not None


def _check_others(others: Any, certificates: Mapping[str, Any]) -> dict[str, Counts]:
    """Counts of segments without a certificate."""
    is_mapping = isinstance(others, Mapping) and are_texts([*others])
    if not is_mapping or not others.keys().isdisjoint(certificates):
        raise invalid("others", f"counts by further names {PRINTABLE}", others)
    return dict(zip(others, check_counts("others", others.values()), strict=True))


def _place(name: str) -> tuple[float, str]:
    """Sort numbers by their values, and before texts."""
    return len(name) if name.isdecimal() else inf, name


class Segments:
    """The segments of an audit: what is counted in each, and the delta of its statement.

    Of the rows that are ``counted``, some of the audited ones are ``found``, as masks of
    all rows and of the audited ones. Where people label the ``rest``, statements are
    about all rows that were not excluded, and those with labels known before.
    """

    def __init__(
        self, checked: AuditedLabels, delta, found, counted=True, rest=False
    ) -> None:
        assert checked.segments is not None
        (codes, names), audit = checked.segments, checked.audit
        number, rows = np.where(counted, codes, -1) + 1, audit.pool
        self.without = rows[codes[rows] < 0]
        if rest:
            self.without = np.setdiff1d(
                audit.not_excluded[codes[audit.not_excluded] < 0], audit.rows
            )
            known = np.arange(0) if audit.known_labels is None else audit.excluded
            rows = np.concatenate([audit.not_excluded, known])
        _, *by_name = by_number(number, rows, audit.rows, audit.rows[found])
        counts = dict(zip(names, by_name, strict=False))  # the last may not count at all
        of_all = dict(zip(names, np.bincount(codes + 1)[1:].tolist(), strict=True))
        self.counts: dict[str, Counts] = {}
        for name in sorted(names, key=_place):
            n, m, x = counts.get(name, (0, 0, 0))
            if n or not rest:  # of rows that could not be drawn, nothing is known
                self.counts[name] = n or of_all[name], m, x
        self.n_outside = sum(of_all.values()) - sum(n for n, *_ in self.counts.values())
        self.checked, self.delta = checked, delta
        if not _n_at_risk(self.counts.values(), False):
            allowed = (
                "segments, at least one with both audited rows and others that count"
            )
            raise invalid("by", allowed, names)
        by_groups = audit.design.kind == "groups"
        self.share = share_of_delta(delta, _n_at_risk(self.counts.values(), by_groups))

    def parts(self) -> Iterator[tuple[str, AuditedLabels]]:
        """Each segment with rows that were audited, and others that were not."""
        assert self.checked.segments is not None
        codes, names = self.checked.segments
        for name, (n, m, _) in self.counts.items():
            if 0 < m < n:
                yield name, self.checked.of_segment(name, codes == names.index(name))

    def certificate(self, certificates) -> SegmentsCertificate:
        checked = self.checked
        assert checked.segments is not None
        first = next(iter(certificates.values()))
        digest = digest_of_numbers(checked.segments)
        return SegmentsCertificate._of(
            checked,
            certificates=certificates,
            others={k: v for k, v in self.counts.items() if k not in certificates},
            n_outside=self.n_outside,
            n_without=len(self.without),
            n_audited=checked.audit.size,
            delta=self.delta,
            fingerprints={**first.fingerprints, "segments": digest},
        )


def of_each_segment(certify, checked, delta, found, counted=True, **further) -> Any:
    """What a function certifies of all rows, or the table of all segments."""
    if checked.segments is None:
        return certify(checked, delta, **further)
    segments = Segments(checked, delta, found, counted)
    parts = segments.parts()
    certified = {name: certify(part, segments.share, **further) for name, part in parts}
    return segments.certificate(certified)
