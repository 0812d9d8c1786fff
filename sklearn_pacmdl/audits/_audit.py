"""Audits: rows that are drawn at random for people to label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import Verification
from ..certificates._fingerprint import digest_of_labels, fingerprint_confidence
from ..certificates._json import FORMAT, Sealed, read_fields, reading
from ..certificates._verification import outcome
from ..utils._checks import as_array, check_count, check_integer, invalid, shown
from ..utils._labels import as_labels, split_unlabeled
from ..utils._version import __version__
from ._worksheet import LABEL, check_answers, read_worksheet, worksheet

if TYPE_CHECKING:
    import pandas as pd

_SEED_BITS = 128


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Sealed):
    """Rows of a data set that were drawn at random for people to label.

    Audits are made by :func:`draw_audit`. The constructor takes the fields as they are,
    so that an altered audit can be read, and :meth:`verify` can detect the alteration.

    Parameters
    ----------
    n_rows : int
        Number of rows of the data set.
    rows : ndarray of shape (size,) of int64
        Indices of the drawn rows, in drawing order. Labels of people follow this order.
    excluded : ndarray of shape (n_excluded,) of int64
        Sorted indices of the rows that could not be drawn.
    seed : int
        From 0 to 2**128 - 1: what the drawing follows from.
    fingerprints : mapping of str to str, default={}
        SHA-256 digests of the "labeling" and of the "confidence" that were fixed before
        the drawing, as far as they were given.
    version : str, default=""
        Version of the package that drew the rows.
    date : str, default=""
        Time of the drawing, in ISO 8601 and UTC.
    digest : str, default=""
        SHA-256 digest of all other fields.

    Attributes
    ----------
    size : int
        Number of drawn rows.
    pool : ndarray of int64
        Sorted indices of the rows that could be drawn: all that are not excluded.

    See Also
    --------
    draw_audit : Draws rows.
    certify_labels : Certifies a labeling by the labels of the drawn rows.
    finish_labels : Labels most rows automatically and leaves the others to people.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import Audit, draw_audit
    >>> audit = draw_audit(1000, 5, random_state=0)
    >>> audit
    Audit(5 of 1000 rows)
    >>> Audit.from_json(audit.to_json()).rows
    array([769, 535, 450, 688, 387])
    >>> bool(audit.verify())
    True
    """

    n_rows: int
    rows: NDArray[np.int64]
    excluded: NDArray[np.int64]
    seed: int
    fingerprints: dict[str, str] = field(default_factory=dict)
    version: str = ""
    date: str = ""
    digest: str = ""

    @property
    def size(self) -> int:
        return len(self.rows)

    @cached_property
    def pool(self) -> NDArray[np.int64]:
        pool = _pool(self.n_rows, self.excluded)
        pool.flags.writeable = False  # it is kept, and verify draws from it
        return pool

    def verify(self) -> Verification:
        """Draw the rows again, and compare them and the digest.

        Returns
        -------
        verification : Verification
            It is true if no problem was found.

        Notes
        -----
        What cannot be verified is that this audit was the only one: whoever draws
        several and reports the one with the best result has no guarantee.
        """
        try:
            check_count("n_rows", self.n_rows, 2)
        except ValueError as error:  # of other numbers no row can be drawn
            return outcome([str(error).rstrip(".")])
        problems = self._mistaken_digest()
        again = _drawn(self.seed, self.pool, self.size)
        if not np.array_equal(self.rows, again):
            problems.append("rows are not those that follow from seed and excluded")
        return outcome(problems)

    def to_frame(self, data: Any = None) -> pd.DataFrame:
        """Make the table of rows to label, which requires pandas.

        Parameters
        ----------
        data : data frame of n_rows rows, default=None
            What people need to see in order to label a row, and your own identifiers,
            in columns of pandas, Polars or Arrow.

        Returns
        -------
        frame : DataFrame of shape (size, n_columns + 2)
            Column "row" (the index of the row in the data set), the columns of ``data``
            and an empty column "label", in drawing order.

        Raises
        ------
        ValueError
            If ``data`` is not a data frame with ``n_rows`` rows, or has a column called
            "row" or "label".

        Examples
        --------
        >>> import pandas as pd
        >>> from sklearn_pacmdl.audits import draw_audit
        >>> texts = pd.DataFrame({"text": ["a", "b", "c", "d"]})
        >>> print(draw_audit(4, 2, random_state=0).to_frame(texts))
           row text label
        0    0    a  None
        1    3    d  None
        """
        return worksheet(self.rows, data, self.n_rows)

    def read_labels(
        self, source: Any, column: str = LABEL, *, dtype: Any = None
    ) -> NDArray[Any]:
        """Read the labels in a table that people filled in.

        Parameters
        ----------
        source : data frame, str or path
            The table of :meth:`to_frame`, in any order of its lines, as a data frame of
            pandas, Polars or Arrow, or as the path of a CSV file (for which pandas is
            required).
        column : str, default="label"
            Column that holds the labels.
        dtype : dtype, default=None
            Type of the labels in a CSV file, such as ``str`` if "007" is a label.

        Returns
        -------
        labels : ndarray of shape (size,)
            In drawing order, as :func:`certify_labels` expects them.

        Raises
        ------
        ValueError
            If a row of the audit is missing, has no label or is there twice, or if there
            are other rows.
        """
        return read_worksheet(source, self.rows, column, dtype)

    def labels_by_row(self, audit_labels: ArrayLike) -> NDArray[Any]:
        """Put labels that are in drawing order at their rows.

        Parameters
        ----------
        audit_labels : array-like of shape (size,)
            Labels of people, in drawing order.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            The labels at the drawn rows. Elsewhere -1, or None if the labels are not
            integers, as :meth:`BoundCertificate.verify` expects unlabeled rows.
        """
        values = check_answers(audit_labels, self.rows, "audit_labels")
        whole = values.dtype == np.int64
        gap, dtype = (-1, np.int64) if whole else (None, object)
        y = np.full(self.n_rows, gap, dtype=dtype)
        y[self.rows] = values
        return y

    def _as_json(self) -> dict[str, Any]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return values | {
            "rows": self.rows.tolist(),
            "excluded": self.excluded.tolist(),
            "seed": hex(self.seed),
            "format": FORMAT,
        }

    @classmethod
    def from_json(cls, text: str) -> Audit:
        """Read an audit; nothing is drawn again, see :meth:`verify`.

        Parameters
        ----------
        text : str
            As written by :meth:`to_json`.

        Returns
        -------
        audit : Audit
            With the fields as they stand in the text.

        Raises
        ------
        ValueError
            If the text is not an audit of a known format.
        """
        with reading("an audit", text):
            values = read_fields(text, {f.name for f in fields(cls)})
            values["seed"] = int(values["seed"], 16)
            for name in ("rows", "excluded"):
                values[name] = np.array(values[name], dtype=np.int64)
            return cls(**values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Audit) and self._as_json() == other._as_json()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} of {len(self.pool)} rows)"


def draw_audit(
    n_rows: int,
    size: int,
    *,
    labels: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
    exclude: Audit | ArrayLike | Sequence[Audit] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Audit:
    """Draw rows at random, without replacement, for people to label.

    An audit certifies any labeling that was fixed before the audit was drawn, wherever
    it comes from: clusters, a classifier, a language model, or people.

    Parameters
    ----------
    n_rows : int
        Number of rows of the data set, at least 2.
    size : int
        Number of rows to draw: at least 1, and fewer than there are to draw from.
        :func:`audit_size` tells how many are needed.
    labels : array-like of shape (n_rows,), default=None
        The labeling that is to be audited. Its SHA-256 digest is stored in the audit,
        which proves that it came first, and the audit then certifies no other. -1 or a
        missing value marks a row without a label.
    confidence : array-like of shape (n_rows,), default=None
        How sure each label is, for :func:`finish_labels`. Its digest is stored likewise.
    exclude : Audit, list of Audit, or array-like of int or bool, default=None
        Rows that must not be drawn, as indices or as a mask, because their labels helped
        to make the labeling. An audit stands for the rows that it drew and those that it
        excluded. Certificates are about the other rows.
    random_state : int or RandomState instance, default=None
        Seed of the drawing, from 0 to 2**128 - 1. By default, 128 random bits of the
        operating system. The seed is stored in the audit.

    Returns
    -------
    audit : Audit
        The drawn rows, in drawing order.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or ``random_state`` is the seed of an audit
        in ``exclude``.

    See Also
    --------
    sklearn.utils.random.sample_without_replacement : Draws rows, without a record.

    Notes
    -----
    Rows are drawn by the generator of :class:`numpy.random.RandomState`, whose stream is
    frozen, so that the drawing can be repeated with any version of NumPy. The rows of a
    smaller audit with the same seed are the first of those of a larger one.

    A seed must not be chosen because of what it leads to. A fixed seed is public: if
    whoever makes the labeling knows it, they know which rows will be checked.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import draw_audit
    >>> first = draw_audit(1000, 5, random_state=0)
    >>> first.rows
    array([769, 535, 450, 688, 387])

    A second audit, of a labeling that learned from the first:

    >>> second = draw_audit(1000, 5, exclude=first, random_state=1)
    >>> len(second.pool)
    995
    """
    n_rows = check_count("n_rows", n_rows, 2)
    excluded = _excluded(exclude, n_rows)
    pool = _pool(n_rows, excluded)
    if len(pool) < 2:
        raise invalid("exclude", f"at most {n_rows - 2} of {n_rows} rows", exclude)
    size = check_integer("size", size, 1, len(pool) - 1)
    seed = _seed(random_state)
    for audit in _audits(exclude):
        if not audit.verify():
            raise invalid("exclude", "audits as they were drawn", exclude)
        if audit.seed == seed:
            raise ValueError(
                f"random_state must not be the seed of an audit in exclude, got {seed}: "
                "a drawing cannot be used twice."
            )
    audit = Audit(
        n_rows=n_rows,
        rows=_drawn(seed, pool, size),
        excluded=excluded,
        seed=seed,
        fingerprints=fingerprints_of(n_rows, labels, confidence),
        version=__version__,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return replace(audit, digest=audit._fingerprint())


def fingerprints_of(
    n_rows: int, labels: ArrayLike | None, confidence: ArrayLike | None
) -> dict[str, str]:
    """Digests of what was given, by the names under which an audit stores them."""
    found = {}
    if labels is not None:
        found["labeling"] = digest_of_labels(check_labels(labels, n_rows), "labels")
    if confidence is not None:
        checked = check_confidence(confidence, n_rows)
        found["confidence"] = fingerprint_confidence(checked)
    return found


def check_labels(labels: ArrayLike, n_rows: int, name: str = "labels") -> NDArray[Any]:
    """Labels of all rows, of any type; rows without one have -1 or a missing value."""
    array = as_labels(labels, name)
    if array.shape != (n_rows,):
        raise ValueError(
            f"{name} must have one label for each of the {n_rows} rows, got shape "
            f"{array.shape}: {shown(labels)}."
        )
    split_unlabeled(array, None, name)  # for errors that call them by this name
    return array


def check_confidence(confidence: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Numbers that say how sure the label of each row is; infinity is allowed."""
    array = as_array("confidence", confidence)
    if (
        array.shape != (n_rows,)
        or array.dtype.kind not in "iuf"
        or np.any(array != array)
        or np.ma.is_masked(confidence)  # what is behind a mask is no confidence
    ):
        allowed = f"{n_rows} numbers without NaN, one for each row"
        raise invalid("confidence", allowed, confidence)
    return array.astype(np.float64)


def _seed(random_state: Any) -> int:
    if random_state is None:
        return randbits(_SEED_BITS)
    if isinstance(random_state, np.random.RandomState):
        return int.from_bytes(random_state.bytes(_SEED_BITS // 8), "little")
    try:
        return check_integer("random_state", random_state, 0, 2**_SEED_BITS - 1)
    except ValueError:
        allowed = "None, an integer from 0 to 2**128 - 1 or a RandomState of NumPy"
        raise invalid("random_state", allowed, random_state) from None


def _drawn(seed: int, pool: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    words = [seed >> shift & 0xFFFFFFFF for shift in range(0, _SEED_BITS, 32)]
    # RandomState because NumPy has frozen its stream; a Generator's may change.
    rng = np.random.RandomState(np.array(words, dtype=np.uint32))
    rows = pool[rng.permutation(len(pool))[:size]]
    rows.flags.writeable = False
    return rows


def _audits(exclude: Any) -> list[Audit]:
    given = exclude if isinstance(exclude, list | tuple) else [exclude]
    return [item for item in given if isinstance(item, Audit)]


def _excluded(exclude: Any, n_rows: int) -> NDArray[np.int64]:
    """Sorted indices of the rows that must not be drawn."""
    audits = _audits(exclude)
    if audits:
        parts = exclude if isinstance(exclude, list | tuple) else [exclude]
        if len(audits) < len(parts) or any(a.n_rows != n_rows for a in audits):
            raise invalid("exclude", f"audits of the same {n_rows} rows", exclude)
        return np.unique(np.concatenate([(*a.rows, *a.excluded) for a in audits]))
    array = as_array("exclude", [] if exclude is None else exclude)
    if array.dtype == bool and array.shape == (n_rows,):
        return np.flatnonzero(array)
    inside = array.dtype.kind in "iu" and np.all((array >= 0) & (array < n_rows))
    if array.ndim != 1 or not (inside or not array.size):
        allowed = f"audits, a mask of {n_rows} rows, or indices of such"
        raise invalid("exclude", allowed, exclude)
    return np.unique(array).astype(np.int64)


def _pool(n_rows: int, excluded: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.setdiff1d(np.arange(n_rows), excluded, assume_unique=True)
