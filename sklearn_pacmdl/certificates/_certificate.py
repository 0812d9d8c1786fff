"""A bound with all that it follows from, so that anybody can check it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from ..utils._checks import is_iterable
from ..utils._version import __version__
from ._arithmetic import Cluster, bound_of, fewest_of, method_of, takes_too_long
from ._audits import has_two_sides
from ._fields import all_provisos, checked, is_readable, problems_of
from ._json import Sealed, of_format, parse_weights, texts_of_weights
from ._kinds import kind_of
from ._texts import as_html, as_text, caveats_of, statement_of
from ._verification import Data, Recount, Verification, verification_of


@dataclass(frozen=True)
class BoundCertificate(Sealed):
    """A PAC-MDL bound and the facts that it follows from.

    Certificates are made by :meth:`from_counts`. The constructor takes the fields as they
    are, so that an altered certificate can be read, and :meth:`verify` can detect the
    alteration. Certificates are equal if they state the same from the same facts,
    whenever they were issued.

    Parameters
    ----------
    n_train, n_test : int
        Numbers of labeled rows (m) and of unlabeled rows (n).
    n_train_errors : int
        Number of errors of the labeling on the labeled rows (a).
    delta : float
        Probability with which the statement may fail. It stands for its printed decimal.
    weights : mapping of str to Fraction
        Weight of the labeling, term by term, fixed before any of the ``n_train`` labels
        was seen, each in (0, 1].
    bits : mapping of str to float, default={}
        Minus the base-2 logarithm of each weight.
    description_length : float, default=0.0
        Minus the base-2 logarithm of the product of the weights.
    max_test_errors : int, default=0
        The bound b: a count in [0, n_test]; lower is better.
    bound : float, default=0.0
        The bound as a rate in [0, 1], of the ``n_test`` rows.
    stated_rate : float, default=None
        The rate in [0, 1] that the statement has in percent: the field for scripts that
        compare a certificate with a target. It differs from ``bound`` where the statement
        is about all rows, as after an audit. None in files of earlier versions.
    provisos : tuple of str, default=()
        Assumptions of the statement. Unless ``drawn`` is True, the first are those of the
        kind, usually that the labeled rows are a uniformly random choice.
    subject : mapping, default={}
        Description of the labeling that the statement is about.
    kind : str, default="pac-mdl"
        How the labeled rows were used: "pac-mdl", "learned", "holdout", or a kind that
        was registered by :func:`register_kind`.
    n_select : int, default=0
        Number of labeled rows, besides the ``n_train``, that set weights or made the
        choice.
    n_train_abstained, n_test_abstained : int, default=0
        Numbers of rows, besides the ``n_train`` and ``n_test``, that the labeling leaves
        without a class.
    drawn : bool, default=False
        Whether the package itself drew the labeled rows, at random from rows whose
        labels are all known. The other rows are then called held-out rows.
    clusters : tuple of tuple of int, default=()
        For each kind of clusters how many there are, and the numbers of rows, of labeled
        rows and of errors among these in each, if the bound follows from them.
    classes : tuple of str, int, float or bool, default=()
        Names of the classes, if recorded.
    facts : mapping of str to number or str, default={}
        Further facts that are recorded. If "random_choice_p_value" is at most 0.001, the
        statement ends by saying that the labeled rows do not look like a random choice.
    fingerprints : mapping of str to str, default={}
        SHA-256 digests: "labels" of the labels as they were seen, "labeling" of the
        certified labeling, and "finished" of the labels of a finished data set, all by
        :func:`fingerprint_labels`; "certifying" of which labeled rows certify, where
        others select; "row_order" of the order in which clusterers saw the
        rows, by :func:`fingerprint_row_order`; and "audit", the digest of the audit.
    version : str, default=""
        Version of the package that issued the certificate.
    date : str, default=""
        Time at which the certificate was issued, in ISO 8601 and UTC.
    digest : str, default=""
        SHA-256 digest of all other fields.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> certificate = BoundCertificate.from_counts(
    ...     1500, 1500, 45, weights={"label": Fraction(1, 27)}, delta=0.1
    ... )
    >>> certificate.max_test_errors
    74
    >>> bool(certificate.verify())
    True
    >>> print(certificate.statement)
    With probability at least 90% over the random choice of the 1500 labeled rows, at \
most 74 of the 1500 unlabeled rows (4.94%) are labeled wrongly, provided the labeled \
rows are a uniformly random choice.
    """

    n_train: int
    n_test: int
    n_train_errors: int
    delta: float
    weights: Mapping[str, Fraction]
    bits: Mapping[str, float] = field(default_factory=dict)
    description_length: float = 0.0
    max_test_errors: int = 0
    bound: float = 0.0
    stated_rate: float | None = field(default=None, compare=False)
    provisos: tuple[str, ...] = ()
    subject: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "pac-mdl"
    n_select: int = 0
    n_train_abstained: int = 0
    n_test_abstained: int = 0
    drawn: bool = False
    clusters: tuple[Cluster, ...] = ()
    classes: tuple[str | int | float | bool, ...] = ()
    facts: Mapping[str, float | str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    date: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)

    @classmethod
    def from_counts(
        cls,
        n_train: int,
        n_test: int,
        n_train_errors: int,
        *,
        weights: Mapping[str, Fraction],
        delta: float = 0.1,
        provisos: Sequence[str] = (),
        subject: Mapping[str, Any] | None = None,
        kind: str = "pac-mdl",
        n_select: int = 0,
        n_train_abstained: int = 0,
        n_test_abstained: int = 0,
        drawn: bool = False,
        clusters: Iterable[Cluster] = (),
        classes: Iterable[Any] = (),
        facts: Mapping[str, float | str] | None = None,
        fingerprints: Mapping[str, str] | None = None,
    ) -> BoundCertificate:
        """Compute the bound for given counts and weights, and issue a certificate.

        Parameters
        ----------
        n_train, n_test, n_train_errors : int
            As in :func:`~sklearn_pacmdl.bounds.pac_mdl_bound`; ``n_test`` is at least 1.
        weights : mapping of str to Fraction
            Weight of the labeling by term, each in (0, 1]. Terms may have any names:
            "label" and "subset" are about the labeling within its candidate, and all
            others say which candidate it is.
        delta : float, default=0.1
            Probability, in (0, 1), with which the statement may fail.
        provisos : sequence of str, default=()
            Assumptions, as clauses that can follow "provided", without control
            characters. Unless ``drawn`` is True, those of the kind, such as the random
            choice of the labeled rows, are put before them. The statement quotes clauses
            that the package does not know, and marks them.
        subject : mapping, default=None
            Description of the labeling that the certificate is about. It is stored as
            JSON stores it, and other objects as their text. Control characters are
            escaped.
        kind : str, default="pac-mdl"
            How the labeled rows were used: "pac-mdl", "learned", "holdout", or a kind
            that was registered by :func:`register_kind`.
        n_select, n_train_abstained, n_test_abstained : int, default=0
            Numbers of further rows, as described for the class. ``n_select`` is at least
            1 for kinds that select, such as "learned" and "holdout", and 0 for others.
        drawn : bool, default=False
            Whether the package itself drew the labeled rows at random.
        clusters : iterable of tuple of int, default=()
            For each kind of clusters how many there are, and the numbers of rows, of
            labeled rows and of errors among these in each. For certificates whose bound
            follows from them, such as those of kind "decoupled", and no others.
        classes : iterable, default=()
            Names of the classes: text, numbers or booleans; other objects become text.
        facts : mapping of str to number or str, default=None
            Further facts to record.
        fingerprints : mapping of str to str, default=None
            Digests under any of the names that are described for the class.

        Returns
        -------
        certificate : BoundCertificate
            The certificate. Its bound is never below the exact one, and equal to it
            unless there are more than 20,000 rows and the tail is next to its level.

        Raises
        ------
        ValueError
            If a parameter is not as described.
        """
        certificate = cls(
            n_train=n_train,
            n_test=n_test,
            n_train_errors=n_train_errors,
            delta=delta,
            weights=weights,
            provisos=all_provisos(provisos, kind, facts, drawn),
            subject={} if subject is None else subject,
            kind=kind,
            n_select=n_select,
            n_train_abstained=n_train_abstained,
            n_test_abstained=n_test_abstained,
            drawn=drawn,
            clusters=_as_tuple(clusters),
            classes=_as_tuple(classes),
            facts={} if facts is None else facts,
            fingerprints={} if fingerprints is None else fingerprints,
        )
        return certificate._with_its_bound()

    def _issued(self) -> BoundCertificate:
        """The same with version, date and digest."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        issued = replace(self, stated_rate=self._rate, version=__version__, date=now)
        return replace(issued, digest=issued._fingerprint())

    def restated(self, *, delta: float) -> BoundCertificate:
        """Issue a certificate for the same facts and another delta.

        Each of k certificates may fail with probability delta. Restated with delta / k,
        they all hold with probability at least 1 - delta (the union bound). Their number
        must be fixed before labels are seen, and all of them count: leaving out those
        that look bad is a choice.

        Parameters
        ----------
        delta : float
            Probability, in (0, 1), with which the new statement may fail.

        Returns
        -------
        certificate : BoundCertificate
            A new certificate, with the bound that follows from this delta.

        Examples
        --------
        >>> from sklearn_pacmdl.certificates import BoundCertificate
        >>> single = BoundCertificate.from_counts(1500, 1500, 45, weights={}, delta=0.1)
        >>> single.max_test_errors, single.restated(delta=0.1 / 2).max_test_errors
        (58, 62)
        """
        return replace(self, delta=delta)._with_its_bound()

    def _with_its_bound(self) -> BoundCertificate:
        """Issued with the bound that follows from the other fields."""
        certificate = checked(self)
        b, facts = bound_of(certificate), {**certificate.facts}
        if has_two_sides(certificate):
            facts["min_test_errors"] = fewest_of(certificate)
        bounds = {"max_test_errors": b, "bound": b / certificate.n_test}
        return replace(certificate, facts=facts, **bounds)._issued()

    @property
    def _rate(self) -> float:
        """The stated rate that follows from the other fields."""
        n_errors, n_rows = kind_of(self.kind).stated(self)
        return n_errors / n_rows

    def _amended(
        self, *, facts: Mapping[str, float | str], fingerprints: Mapping[str, str]
    ) -> BoundCertificate:
        """The same bound with further facts and fingerprints, or others of that name."""
        facts = {**self.facts, **facts}
        fingerprints = {**self.fingerprints, **fingerprints}
        return checked(replace(self, facts=facts, fingerprints=fingerprints))._issued()

    @property
    def statement(self) -> str:
        """The statement of this certificate, as a sentence."""
        if problems := problems_of(self):
            return f"This certificate states nothing: {'; '.join(problems)}."
        return statement_of(self)

    @property
    def claim(self) -> str:
        """The statement without its probability, its provisos and its caveat."""
        return kind_of(self.kind).claim(self)

    @property
    def caveat(self) -> str:
        """What speaks against the provisos, by which the statement ends; usually "".

        It is the result of :func:`random_choice_test` if the labeled rows do not look
        like a random choice.
        """
        return "" if problems_of(self) else "".join(caveats_of([self]))

    def verify(
        self,
        y: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        certifying: ArrayLike | None = None,
        row_order: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        finished_labels: ArrayLike | None = None,
        audit: Any = None,
    ) -> Verification:
        """Recompute the certificate exactly, and compare it with data if given.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            The labels as they were seen; -1 or a missing value marks a row that was
            unlabeled or held out.
        labels : array-like of shape (n_samples,), default=None
            The certified labeling of the same rows; -1 or a missing value marks a row
            that is given no class. Required with ``y``.
        certifying : array-like of int or bool, default=None
            Which labeled rows certify, as indices or as a mask; all by default.
        row_order : array-like of shape (n_samples,) of int, default=None
            The order in which clusterers saw the rows.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each row, for certificates whose bound follows from the counts
            of each cluster. Requires ``y`` and ``labels``.
        finished_labels : array-like of shape (n_samples,), default=None
            The labels of a finished data set as people use them; -1 or a missing value
            marks a row that is still left to people. They are compared with their digest
            and, if ``y`` and ``labels`` are given, with the human labels and the
            automatic ones, row by row.
        audit : Audit, default=None
            The audit of a certificate of an audit. It is drawn again, and all labels are
            then given for all rows of the data set. Without it, they are given for the
            rows that could be drawn: ``y[audit.pool]`` and so on. Those of a finished
            data set are then for all rows that were not excluded.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. Its outcome says whether data were
            compared: "agrees with the data" requires ``y`` and ``labels``. Printed, it
            lists what was checked and what was not.

        Raises
        ------
        ValueError
            If only one of ``y`` and ``labels`` is given, or data do not fit together.

        Notes
        -----
        Without data, the bound is recomputed from the counts, ``weights`` and
        ``delta``, and the fields are compared with one another and with ``digest``. A
        single altered field is always detected. If several fields are altered so that
        they fit together, and the digest is recomputed, this can be detected only with
        data. ``y`` and ``labels`` are counted again, which reveals altered counts, and
        compared with ``classes`` and ``fingerprints``, as ``row_order`` is.
        ``clusters`` reveals altered counts of clusters. Without data, compare
        ``digest`` with one that was published before.

        Neither data nor arithmetic can confirm what is stated about the past, if it is
        altered consistently and with a new digest:

        - ``drawn`` with the first of ``provisos``, and further ``provisos``: how the
          labeled rows were chosen, and what else was assumed;
        - ``weights`` (with ``bits`` and ``description_length``) and ``delta``, with the
          bound that follows: that they were fixed before the certifying labels were
          seen, and that the weights of all labelings sum to at most 1. Only the search,
          run again on the rows, shows which weights it gives. ``verify`` checks that no
          weight is above 1;
        - ``clusters`` that add up to the same counts, unless the data has them;
        - ``kind``, among those that select alike, such as "learned" and "holdout": what
          the selecting labels were used for;
        - ``subject``, ``facts``, ``version``, ``date``, and ``classes`` that no row is
          given: they are recorded only. Among the facts is the p-value of the test of
          the choice of the labeled rows, with which a statement may end. The facts
          "n_changed" and "max_people_errors" of audits enter the statement, and no data
          can confirm them. The "seed_text" is shown by the audit;
        - ``fingerprints`` that were left out.
        """
        if (y is None) != (labels is None):
            missing = "y" if y is None else "labels"
            raise ValueError(
                f"verify requires both y and labels, or neither, got {missing}=None."
            )
        for name, given in {"certifying": certifying, "clusters": clusters}.items():
            if y is None and given is not None:
                raise ValueError(f"{name} requires y and labels.")
        data = Data(y, labels, certifying, row_order, clusters, finished_labels, audit)
        return self._verified(data, {})

    def _verified(self, data: Data, names: Mapping[str, str]) -> Verification:
        """The same, where what is compared is called by other names."""
        if problems := problems_of(self):
            return verification_of(problems, readable=is_readable(self))
        if problems := takes_too_long(self):
            return verification_of(problems, readable=False)
        comparison = Recount(self, names, data)
        b, right = self.max_test_errors, bound_of(self, self.max_test_errors)
        if b != right:
            how = "below" if b < right else "above"
            comparison.problems.append(f"max_test_errors is {how} the bound")
        if has_two_sides(self):
            least = self.facts.get("min_test_errors")
            if least is None or least != fewest_of(self, int(least)):
                comparison.problems.append("min_test_errors is not the lower bound")
        if self.bound != b / self.n_test:
            comparison.problems.append("bound is not max_test_errors / n_test")
        if self.stated_rate not in (None, self._rate):
            comparison.problems.append("stated_rate is not the rate of the statement")
        comparison.check("certificate", "fields, bound and SHA-256 digest")
        comparison.compare()
        comparison.problems += self._mistaken_digest()
        return comparison.verification(method_of(self))

    def _as_json(self) -> dict[str, Any]:
        values = super()._as_json() | {"weights": texts_of_weights(self.weights)}
        if self.stated_rate is None:  # which the digests of earlier versions do not cover
            del values["stated_rate"]
        return values

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> BoundCertificate:
        """The certificate from what was parsed."""
        values = of_format({"stated_rate": None} | values, {f.name for f in fields(cls)})
        values["weights"] = parse_weights(values["weights"])
        for name in ("provisos", "classes", "clusters"):
            if not isinstance(values[name], list):
                raise ValueError(f"its {name} are not a list")
            values[name] = tuple(values[name])
        values["clusters"] = tuple(map(_as_tuple, values["clusters"]))
        return cls(**values)

    def __str__(self) -> str:
        return self.statement if problems_of(self) else as_text(self)

    def _repr_html_(self) -> str:
        return escape(self.statement) if problems_of(self) else as_html(self)


def _as_tuple(values: Any) -> Any:
    return tuple(values) if is_iterable(values) else values
