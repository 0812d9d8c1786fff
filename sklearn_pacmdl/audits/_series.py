"""Audits of batches that arrive one after the other, all of which hold together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Context, Decimal, localcontext
from fractions import Fraction
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..certificates import (
    FORMAT,
    MOST_ROWS,
    ONE_SERIES,
    SEED_TEXTS,
    BoundCertificate,
    Comparison,
    Sealed,
    Verification,
    check_text,
    is_seed_text,
    kind_of,
    of_format,
    problems_of,
    random_choice_test_of_counts,
    sentence,
)
from ..utils._checks import (
    check_count,
    check_integer,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
    is_integer,
)
from ..utils._docs import substituted
from ..utils._labels import as_labels, split_unlabeled
from ..utils._version import __version__
from ..utils._words import as_frame, percent
from ._audit import Audit, check_labels
from ._audit_size import AuditSize, audit_size
from ._certify import certify_labels
from ._draw import draw_audit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..displays import AuditSeriesDisplay

State = Literal["certified", "above target", "waiting", "skipped"]

# Shares are decimals of four digits, rounded down: statements can print them, and less
# than a thousandth of a share is lost.
_DOWN, _EXACT = Context(prec=4, rounding=ROUND_DOWN), Context(prec=28)
# Random choices that a batch is compared with: p-values reach down to 1e-4.
_N_DRAWS = 9_999
# What a series is written with besides its batches.
_FIELDS = "target", "delta", "n_batches", "version", "digest"
# More characters and values than a certificate has: a batch that is drawn can be
# certified.
_OF_CERTIFICATE = 16_000 * " " + 200 * ","


@dataclass(frozen=True)
class _Batch:
    """What is known of a batch; one without an audit is skipped."""

    counts: Mapping[str, int] = field(default_factory=dict)  # rows by label
    audit: Audit | None = None
    certificate: BoundCertificate | None = None
    given_up: Audit | None = None  # whose seed must not be used again

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> _Batch:
        if not all(is_integer(n) and n >= 0 for n in values["counts"].values()):
            raise ValueError("its counts are not numbers of rows")
        for name in ("audit", "given_up"):
            if values.get(name) is not None:
                values[name] = Audit._from_fields(values[name])
                if not isinstance(values[name].fingerprints, dict):
                    raise ValueError("the fingerprints of an audit are none by name")
        if values["certificate"] is not None:
            certificate = BoundCertificate._from_fields(values["certificate"])
            if problems := problems_of(certificate):
                raise ValueError(f"a certificate is wrong: {'; '.join(problems)}")
            values["certificate"] = certificate
        return cls(**values)

    def _as_json(self) -> dict[str, Any]:
        records = {"audit": self.audit, "certificate": self.certificate}
        records |= {"given_up": self.given_up} if self.given_up else {}
        written = {name: r and r._as_json() for name, r in records.items()}
        return {"counts": self.counts} | written

    def problems(self, share: float) -> Iterator[str]:
        """What does not fit together, if the audit was drawn as it says."""
        audit, c = self.audit, self.certificate
        n_rows = 0 if audit is None else audit.n_rows
        if sum(self.counts.values()) != n_rows:
            yield "its counts are not those of all rows"
        if self.given_up is not None:
            yield from self.given_up._mistaken_digest()
            yield from ["it is given up, and has an audit"] * (audit is not None)
        if audit is None:
            yield from ["its certificate has no audit"] * (c is not None)
            return
        yield from (f"its audit's {problem}" for problem in audit._mistaken_digest())
        parts = audit.excluded, audit.doubtful, audit.groups, audit.strata
        if audit.seed is None or any(part.size for part in parts):
            yield "its audit is no choice of single rows among all by a seed"
        if c is None:
            return
        yield from c.verify().problems
        seen, others = c.n_train + c.n_train_abstained, c.n_test + c.n_test_abstained
        digests = {**audit.fingerprints, "audit": audit.digest}
        if (
            (c.kind, c.delta) != ("audit", share)
            or (seen, seen + others) != (audit.size, n_rows)
            or any(c.fingerprints.get(name) != code for name, code in digests.items())
        ):
            yield "its certificate is not that of its audit at its share"

    def compared(
        self, name: str, comparison: Comparison, labels: Any, answers: Any, is_small: bool
    ) -> Iterator[str]:
        """Problems of the audit, drawn again, and of what it is compared with."""
        assert self.audit is not None  # or there would be nothing to compare
        if is_small or labels is not None:
            yield from self.audit.verify(labels).problems
            comparison.check(name, "rows, drawn again from the seed")
        else:
            comparison.leave(name, "rows, which are drawn again with its labels")
        if labels is None:
            comparison.leave(name, "labels, which are not given")
        elif _counts(labels, self.audit) != self.counts:
            yield "its counts are not those of the labels"
        if self.certificate is not None and answers is not None:
            y = self.audit.labels_by_row(answers)
            yield from self.certificate.verify(y, labels).problems
            comparison.check(name, "human labels counted")
        elif self.certificate is not None:
            comparison.leave(name, "human labels, which are not given")


class AuditSeries(Sealed):
    """Audits of batches that arrive one after the other, such as every month.

    Each batch is audited and gets a certificate of its own. Except with probability
    ``delta``, *all* certificates of the series are right. For this, each batch has a
    share of ``delta`` that follows from its position alone.

    Parameters
    ----------
    target : float
        Share of wrong labels, in (0, 1), that is tolerated in each batch.
    delta : float, default=0.1
        Probability, in (0, 1), with which any statement of the series may fail.
    n_batches : int, default=None
        Number of batches, if it is known: each then has the same share of ``delta``. By
        default the series never ends, and shares become smaller and smaller.

    Attributes
    ----------
    states : dict of str to str
        The state of each batch, by name and in order: "waiting" for human labels,
        "certified", "above target" if it is certified for more errors than the target
        tolerates, or "skipped".
    audits : dict of str to Audit
        Audits of the batches for which rows were drawn.
    certificates : dict of str to BoundCertificate
        Certificates of the batches that have one, each at the share of its batch.
    statement : str
        What holds for all certified batches together.
    digest : str
        SHA-256 digest of everything else.

    See Also
    --------
    AuditMonitor : Looks again and again at one audit.
    sklearn_pacmdl.displays.AuditSeriesDisplay : What :meth:`plot` returns.

    Notes
    -----
    Given all that happened before, the audit of batch t is a random choice of its rows.
    So its statement fails with probability at most its share, even if earlier results
    changed the model, the size of this audit, or whether there is one. The shares sum to
    at most ``delta``, and so does the probability that any statement fails. What must not
    depend on results is the share. That of a batch that is skipped is lost. See
    :doc:`/theory`, Theorem 14.

    With ``n_batches=None``, the share of position t is ``delta`` times
    1 / sqrt(t) - 1 / sqrt(t + 1). The sum over the first t positions is then ``delta``
    times 1 - 1 / sqrt(t + 1). To certify 5 % of 10,000 rows of which 2 % are wrong takes
    6,821 labels for 12 batches and 45,608 for 60. It takes 7,037 and 50,287 if shares are
    1 / (t (t + 1)), and 7,365 and 52,488 if they are proportional to 1 / t**2. If the
    numbers of batches are known, it takes 5,736 and 38,460. All shares are rounded down
    to four digits.

    Rows without a label may be drawn, but are not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import AuditSeries
    >>> truth = np.random.RandomState(0).randint(3, size=10_000)
    >>> labels = np.where(np.arange(10_000) % 50 == 0, 3, truth)
    >>> series = AuditSeries(target=0.05, n_batches=12)
    >>> audit = series.draw("January", labels, expected_error=0.02, random_state=1)
    >>> audit
    Audit(478 of 10000 rows)
    >>> certificate = series.certify("January", labels, truth[audit.rows])
    >>> series
    AuditSeries(1 certified)
    >>> series = AuditSeries.from_json(series.to_json())  # next month
    >>> series.skip("February")
    >>> series.plan(10_000).n_labels
    452
    """

    _what = "a series of audits"

    def __init__(
        self, *, target: float, delta: float = 0.1, n_batches: int | None = None
    ) -> None:
        self.target = check_open_unit("target", target)
        self.delta = check_open_unit("delta", delta)
        if n_batches is not None:
            n_batches = check_count("n_batches", n_batches, 1)
        self.n_batches = n_batches
        self._batches: dict[str, _Batch] = {}
        self.version, self.digest = __version__, ""
        self.digest = self._fingerprint()

    @property
    def states(self) -> dict[str, State]:
        return {name: self._state(batch) for name, batch in self._batches.items()}

    @property
    def audits(self) -> dict[str, Audit]:
        return {name: b.audit for name, b in self._batches.items() if b.audit}

    @property
    def certificates(self) -> dict[str, BoundCertificate]:
        return {name: b.certificate for name, b in self._batches.items() if b.certificate}

    def _state(self, batch: _Batch) -> State:
        if batch.certificate is None:
            return "waiting" if batch.audit else "skipped"
        rate = Fraction(*_stated(batch.certificate))
        return "certified" if rate <= exact_decimal(self.target) else "above target"

    def share(self, position: int) -> float:
        """Probability with which the statement of a batch may fail.

        Parameters
        ----------
        position : int
            From 1; at most ``n_batches``, if this is known.

        Returns
        -------
        share : float
            The delta of the certificate of this batch.
        """
        most = {} if self.n_batches is None else {"most": self.n_batches}
        t = Decimal(check_integer("position", position, 1, **most))
        delta = Decimal(repr(self.delta))
        if self.n_batches is not None:
            return float(_DOWN.divide(delta, self.n_batches))
        with localcontext(_EXACT):  # whatever context the user has set
            # The difference of the inverses of both roots.
            root, after = t.sqrt(), (t + 1).sqrt()
            share = delta / (root * after * (root + after))
        return float(_DOWN.plus(share))

    def plan(
        self, n_rows: int, *, expected_error: float | None = None, power: float = 0.9
    ) -> AuditSize:
        """Compute how many rows of the next batch to audit.

        Parameters
        ----------
        n_rows : int
            Rows of the next batch; from 2 to 2**51.
        expected_error : float, default=None
            Guess of the share of its rows that is labeled wrongly, in [0, 1). By default
            (a + 1) / (m + 2), if a of the m rows that were audited in all certified
            batches were wrong. It is required until there is such a batch.
        power : float, default=0.9
            Probability, in (0, 1), with which the audit is to succeed if the guess is
            right.

        Returns
        -------
        size : AuditSize
            The smallest audit that certifies the target with this probability, at the
            share of the next batch.

        Raises
        ------
        ValueError
            If a parameter is not as described, the series is complete, or the error to
            expect is above the target. In the last case :meth:`draw` still takes a
            ``size``.
        """
        share = self.share(len(self._batches) + 1)
        if expected_error is None:
            seen = [(c.n_train, c.n_train_errors) for c in self.certificates.values()]
            if not seen:
                raise invalid("expected_error", "given for the first batch", None)
            n_audited, n_wrong = map(sum, zip(*seen, strict=True))
            expected_error = (n_wrong + 1) / (n_audited + 2)
        return audit_size(n_rows, self.target, expected_error, delta=share, power=power)

    @substituted(draw_audit)
    def draw(
        self,
        name: str,
        labels: ArrayLike,
        *,
        size: int | None = None,
        expected_error: float | None = None,
        power: float = 0.9,
        classes: Mapping[Any, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        seed_text: str | None = None,
    ) -> Audit:
        """Add a batch, and draw its rows for people to label.

        Write the series to its file before people label these rows.

        Parameters
        ----------
        name : str
            Name of the batch, such as "2026-11": 1 to 200 characters. Each batch has
            another name, and rows are drawn once for each name.
        labels : array-like of shape (n_rows,)
            The labeling of the batch. Its digest and the number of rows of each label are
            stored. -1 or a missing value marks a row without a label.
        size : int, default=None
            Number of rows to draw. By default that of :meth:`plan`, which also takes
            ``expected_error`` and ``power``.
        expected_error, power : float
            As in :meth:`plan`.
        {classes}
        {random_state}
        {seed_text}

        Returns
        -------
        audit : Audit
            The rows to label. It is also in ``audits``.

        Raises
        ------
        ValueError
            If a parameter is not as described, there is a batch of this name, a seed is
            used a second time, the series is complete, or it was altered. Nothing is
            added then.
        """
        self._check_new(name)
        array = as_labels(labels, "labels")
        if array.ndim != 1 or len(array) < 2:
            raise invalid("labels", "labels of at least 2 rows, in one dimension", labels)
        if size is None:
            plan = self.plan(len(array), expected_error=expected_error, power=power)
            size = min(plan.n_labels, len(array) - 1)
        given: dict[str, Any] = {"random_state": random_state, "seed_text": seed_text}
        given["classes"] = classes
        audit = draw_audit(len(array), size, labels=labels, **given)
        if audit.seed in self._seeds():
            seed = random_state if seed_text is None else seed_text
            raise invalid("random_state or seed_text", "those of no earlier batch", seed)
        self._set(name, _Batch(_counts(array, audit), audit))
        return audit

    def certify(
        self, name: str, labels: ArrayLike, audit_labels: ArrayLike
    ) -> BoundCertificate:
        """Certify a batch by the human labels of its audit, at its share of delta.

        Parameters
        ----------
        name : str
            Name of a batch that is waiting.
        labels : array-like of shape (n_rows,)
            The labeling for which its audit was drawn.
        audit_labels : array-like of shape (audit.size,)
            Labels that people gave to the audited rows, in drawing order. None may be
            missing.

        Returns
        -------
        certificate : BoundCertificate
            As of :func:`certify_labels`. It is also in ``certificates``.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described, or the series was altered. Nothing is
            added then.
        """
        batch = self._waiting(name)
        share = self.share([*self._batches].index(name) + 1)
        certificate = certify_labels(labels, self.audits[name], audit_labels, delta=share)
        self._set(name, replace(batch, certificate=certificate))
        return certificate

    def skip(self, name: str) -> None:
        """Leave a batch without a certificate; its share of delta is lost.

        Parameters
        ----------
        name : str
            Name of a new batch, or of one that is waiting and is given up. The file
            keeps the audit of the latter, since its seed must not be used again.

        Raises
        ------
        ValueError
            If the batch is certified or skipped already, the series is complete, or it
            was altered.
        """
        given_up = None
        if isinstance(name, str) and name in self.audits:
            given_up = self._waiting(name).audit
        else:
            self._check_new(name)
        self._set(name, _Batch(given_up=given_up))

    def drift_p_value(self, name: str, other: str | None = None) -> float:
        """Test whether labels of two batches come equally often; no guarantee needs it.

        The automatic labels are compared, and not how many of them are wrong.

        Parameters
        ----------
        name : str
            Name of a batch for which rows were drawn.
        other : str, default=None
            The batch to compare it with; by default the one before it of those for which
            rows were drawn.

        Returns
        -------
        p_value : float
            If both batches were a random division of one set of rows, the probability of
            a p-value of at most alpha would be at most alpha. It is small if their labels
            are distributed too differently, or too evenly. NaN for the first batch.

        Raises
        ------
        ValueError
            If there are no such batches.

        See Also
        --------
        sklearn_pacmdl.certificates.random_choice_test : The test.

        Notes
        -----
        A small p-value says that the rows, or what labels them, have changed. It does not
        say that there are more errors, and a certificate holds for any batch. Large
        batches have small p-values for differences that do not matter. A large p-value
        shows nothing.
        """
        drawn = [*self.audits]
        check_option("name", name, drawn)
        if other is None:
            at = drawn.index(name)
            if not at:
                return nan
            other = drawn[at - 1]
        check_option("other", other, drawn)
        now, before = (Counter(self._batches[each].counts) for each in (name, other))
        sizes, own = np.array([(n, now[label]) for label, n in (now + before).items()]).T
        test = random_choice_test_of_counts(
            {"labels": (sizes, own)}, None, None, _N_DRAWS
        )
        return nan if test is None else float(test.p_value)

    @property
    def statement(self) -> str:
        stated = [*map(_stated, self.certificates.values())]
        if not stated:
            return "Nothing is certified yet."
        errors, n_rows = map(sum, zip(*stated, strict=True))
        many = f"the bounds of all {len(stated)} certified batches hold together, and "
        certificates = self.certificates.values()
        gaps = sum(c.n_train_abstained + c.n_test_abstained for c in certificates)
        given = " that are given a label" * (gaps > 0)
        claim = (
            f"{many * (len(stated) > 1)}at most {errors} of the {n_rows} rows of "
            f"certified batches{given} ({percent(errors, n_rows)}) are labeled wrongly"
        )
        provisos = [p for c in certificates for p in c.provisos]
        provisos = [*dict.fromkeys(provisos), ONE_SERIES]
        return sentence(self.delta, ["the audited rows of each batch"], claim, provisos)

    def verify(
        self,
        labels: Mapping[str, ArrayLike] | None = None,
        audit_labels: Mapping[str, ArrayLike] | None = None,
    ) -> Verification:
        """Check shares, audits and certificates, and compare them with labels.

        Parameters
        ----------
        labels : mapping of str to array-like of shape (n_rows,), default=None
            The labelings of batches, by name. Audits are drawn again, as far as their
            batches have at most 10 million rows together; those of other batches only if
            their labels are given.
        audit_labels : mapping of str to array-like of shape (audit.size,), default=None
            The human labels of certified batches, by name and in drawing order. They
            require the ``labels`` of these batches.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. It "agrees with the data" if the labels of
            all batches and the human labels of all certified ones were compared. Printed,
            it lists what was checked and what was not.

        Raises
        ------
        ValueError, TypeError
            If ``labels`` are not those of batches for which rows were drawn, or
            ``audit_labels`` not those of certified ones of these.

        Notes
        -----
        It cannot be verified that this is the only series, nor that its file was not
        taken back to what it was before an audit. Publish ``digest``, or commit the file,
        whenever it changes.
        """
        data = (
            {} if labels is None else labels,
            {} if audit_labels is None else audit_labels,
        )
        _check_names("labels", data[0], {*self.audits})
        _check_names("audit_labels", data[1], self.certificates.keys() & data[0])
        for name, values in data[0].items():
            drawn = self.audits[name]
            check_labels(values, drawn.n_rows, classes=drawn.classes)
        comparison = Comparison(self, {})
        comparison.problems += self._mistaken_digest()
        comparison.check("series", "SHA-256 digest")
        n_rows, seeds = 0, Counter(self._seeds())
        for position, (name, batch) in enumerate(self._batches.items(), 1):
            problems = [*batch.problems(self.share(position))]
            if (audit := batch.audit) is not None:
                n_rows += audit.n_rows if is_integer(audit.n_rows) else 0
                given = data[0].get(name), data[1].get(name)
                problems += batch.compared(name, comparison, *given, n_rows <= MOST_ROWS)
                if seeds[audit.seed] > 1:
                    problems.append("its seed is that of another batch")
            for problem in dict.fromkeys(problems):
                comparison.problem(name, problem)
        wanted = [*self.audits], [*self.certificates]
        comparison.compared = [*map(len, data)] == [*map(len, wanted)] and bool(wanted[0])
        return comparison.verification()

    def to_frame(self) -> pd.DataFrame:
        """Make the table of the batches, which requires pandas.

        Returns
        -------
        frame : DataFrame, indexed by batch
            The ``state``, the ``share`` of delta, ``n_rows``, ``n_audited``, the
            ``error_rate`` among the audited rows (an estimate), the certified
            ``max_error_rate`` of the batch, ``max_error_rate_so_far`` of all batches up
            to it, and ``drift_p_value``. What is not known is NaN or NA.
        """
        counts = dict.fromkeys(["n_rows", "n_audited"], "Int64")
        return as_frame(self._columns(), "batch").astype(counts)

    def _columns(self) -> dict[str, Any]:
        audits = [batch.audit for batch in self._batches.values()]
        certificates = [batch.certificate for batch in self._batches.values()]
        stated = [(nan, nan) if c is None else _stated(c) for c in certificates]
        errors, n_rows = np.array(stated, dtype=float).reshape(-1, 2).T
        rate = errors / n_rows
        so_far = np.nancumsum(errors) / np.maximum(np.nancumsum(n_rows), 1)
        return {
            "batch": [*self._batches],
            "state": [*self.states.values()],
            "share": [self.share(t + 1) for t in range(len(audits))],
            "n_rows": [a.n_rows if a else nan for a in audits],
            "n_audited": [a.size if a else nan for a in audits],
            "error_rate": [
                c.n_train_errors / c.n_train if c and c.n_train else nan
                for c in certificates
            ],
            "max_error_rate": rate,
            "max_error_rate_so_far": np.where(np.isnan(rate), nan, so_far),
            "drift_p_value": [
                self.drift_p_value(name) if batch.audit else nan
                for name, batch in self._batches.items()
            ],
        }

    def plot(self, ax: Axes | None = None) -> AuditSeriesDisplay:
        """Draw certified and estimated error rates batch by batch.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : AuditSeriesDisplay
            The display, drawn.
        """
        # Matplotlib is not required to audit.
        from ..displays import AuditSeriesDisplay

        return AuditSeriesDisplay(table=self._columns(), target=self.target).plot(ax)

    def _check_new(self, name: Any) -> None:
        n_batches = len(self._batches)
        if n_batches == self.n_batches:
            raise invalid("n_batches", f"above {n_batches} for another batch", n_batches)
        if not is_seed_text(name) or name in self._batches:
            allowed = f"{SEED_TEXTS}, and no batch of the series: rows are drawn once"
            raise invalid("name", allowed, name)

    def _seeds(self) -> list[int | None]:
        """Seeds of all drawings, also of batches that were given up."""
        audits = (b.audit or b.given_up for b in self._batches.values())
        return [audit.seed for audit in audits if audit]

    def _waiting(self, name: Any) -> _Batch:
        states = self.states
        waiting = [each for each, state in states.items() if state == "waiting"]
        if isinstance(name, str) and name in states and name not in waiting:
            raise ValueError(f"{name!r} waits for no labels: it is {states[name]}.")
        return self._batches[check_option("name", name, waiting)]

    def _set(self, name: str, batch: _Batch) -> None:
        """Add or replace a batch; a digest of altered fields must not be made right."""
        if problems := self._mistaken_digest():
            raise ValueError(f"The series must be as it was written, but {problems[0]}.")
        before = {**self._batches}
        self._batches[name] = batch
        waiting = [*self.states.values()].count("waiting")
        try:
            check_text(self.to_json() + _OF_CERTIFICATE * waiting)
        except ValueError as error:
            self._batches = before
            advice = "Begin another series"
            raise ValueError(f"No file can hold the series: {error}. {advice}.") from None
        self.version = __version__
        self.digest = self._fingerprint()

    def _as_json(self) -> dict[str, Any]:
        batches = [{"name": n} | b._as_json() for n, b in self._batches.items()]
        fields = {name: getattr(self, name) for name in _FIELDS}
        return fields | {"batches": batches, "format": FORMAT}

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> AuditSeries:
        values = of_format(values, {*_FIELDS, "batches"})
        series = cls(**{name: values[name] for name in ("target", "delta", "n_batches")})
        series.version, series.digest = values["version"], values["digest"]
        for each in values["batches"]:
            series._check_new(name := each.pop("name"))
            series._batches[name] = _Batch._from_fields(each)
        return series

    def __repr__(self) -> str:
        found = Counter(self.states.values())
        states = ", ".join(f"{n} {state}" for state, n in found.items())
        return f"{type(self).__name__}({states or 'no batches'})"

    def __str__(self) -> str:
        claims = {name: f", {c.claim}" for name, c in self.certificates.items()}
        lines = [f"{n}: {state}{claims.get(n, '')}" for n, state in self.states.items()]
        return "\n".join([self.statement, *lines])


def _check_names(parameter: str, given: Any, names: Collection[str]) -> None:
    """Check a mapping of what is given of batches, by some of these names."""
    if not isinstance(given, Mapping) or not {*given} <= {*names}:
        raise invalid(parameter, f"by names among {sorted(names)}", given)


def _stated(certificate: BoundCertificate) -> tuple[int, int]:
    """Certified number of errors, and the number of rows that it is about."""
    return kind_of(certificate.kind).stated(certificate)


def _counts(labels: ArrayLike, audit: Audit) -> dict[str, int]:
    """Numbers of rows by the text of their label; a missing one has the empty text."""
    labeled, values = split_unlabeled(audit.rename(labels), None, "labels")
    found = Counter(map(str, values.tolist())) + Counter({"": int(np.sum(~labeled))})
    return dict(found)
