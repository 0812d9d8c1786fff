"""Certificates of how many rows are labeled wrongly, by counts of rows and errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from ..bounds import MAX_COUNT, QUICK, exact_bmax, pac_mdl_bound
from ..utils._checks import check_fields, check_integer, check_number, exact_decimal
from ..utils._weights import length_in_bits
from ..utils._words import percent
from ._certificate import Certificate
from ._fields import with_counts
from ._verification import Arithmetic

# Errors on labeled rows: terms of a tail grow with the square root, 0.3 s for these.
_MOST_ERRORS = 2**44


@dataclass(frozen=True, kw_only=True)
class ErrorsCertificate(Certificate):
    """Base class of certificates that bound the errors of unlabeled rows by counts."""

    n_train: int
    n_test: int
    n_train_errors: int
    max_test_errors: int = 0
    bound: float = 0.0
    stated_bound: float = 0.0
    n_train_abstained: int = 0
    n_test_abstained: int = 0

    labeled_rows: ClassVar[str] = "labeled"
    other_rows: ClassVar[str] = "unlabeled"
    _of_errors: ClassVar[str] = ""  # which rows with errors ``n_train_errors`` counts
    # Number of rows up to which tails are compared in plain integers.
    _n_exact: ClassVar[int] = QUICK
    _following = Certificate._following | {"max_test_errors", "bound", "stated_bound"}

    @classmethod
    def from_counts(
        cls,
        n_train: int,
        n_test: int,
        n_train_errors: int,
        *,
        delta: float = 0.1,
        **further: Any,
    ) -> Self:
        """Compute the bound that follows from counts, and issue a certificate.

        Parameters
        ----------
        n_train, n_test, n_train_errors : int
            As in :func:`~sklearn_pacmdl.bounds.pac_mdl_bound`; ``n_test`` is at least 1.
        delta : float, default=0.1
            Probability, in (0, 1), with which the statement may fail.
        **further : dict
            Other fields of the class that do not follow from these, such as ``weights``,
            which searches require. ``provisos`` are those besides ``assumed``; the
            statement quotes and marks unknown clauses. What JSON cannot hold of
            ``subject``, and other ``classes`` than text, numbers and booleans, are stored
            as their text.

        Returns
        -------
        certificate : object of this class
            The certificate. Its bound is never below the exact one, and equal to it
            unless there are more than 20,000 rows and the tail is next to its level.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described, or no field of this class.
        """
        counts = {"n_train": n_train, "n_test": n_test, "n_train_errors": n_train_errors}
        return cls._made(**counts, delta=delta, **further)

    @property
    def stated(self) -> tuple[int, int]:
        """Upper bound on the errors that are stated, and the number of rows with them."""
        return self.max_test_errors, self.n_test

    @property
    def fewest(self) -> int | None:
        """Lower bound on the errors that are stated, if there is one."""
        return None

    @property
    def _others(self) -> str:
        return self.other_rows

    @property
    def _weight(self) -> Fraction:
        """The part of delta that the bound has."""
        return Fraction(1)

    def _most(self) -> int:
        """The bound b that follows from other fields."""
        return self._most_unseen(self.n_train_errors)

    def _most_unseen(self, n_errors: int) -> int:
        """The bound for a number of errors on the labeled rows."""
        counts = self.n_train, self.n_test, n_errors
        # Not a field, which may be off by rounding and so be negative.
        length = length_in_bits(self._weight)
        near = pac_mdl_bound(*counts, description_length=length, delta=self.delta)
        return exact_bmax(*counts, exact_decimal(self.delta) * self._weight, near)

    def _bounded(self) -> Self:
        b = self._most()
        right = replace(self, max_test_errors=b, bound=b / self.n_test)
        n_errors, n_rows = right.stated
        return replace(right, stated_bound=n_errors / n_rows)

    def _checked(self) -> Self:
        check_fields(self, bound=float, stated_bound=float)
        for name in ("bound", "stated_bound"):
            check_number(name, getattr(self, name))
        n = check_integer("n_test", self.n_test, 1, MAX_COUNT)
        checked = replace(super()._checked(), n_test=n)
        names = ("n_train", "n_train_abstained", "n_test_abstained")
        most = dict.fromkeys(names, MAX_COUNT) | {"max_test_errors": n}
        checked = with_counts(checked, **most)
        return with_counts(checked, n_train_errors=min(checked.n_train, _MOST_ERRORS))

    @property
    def _arithmetic(self) -> Arithmetic:
        is_counted = self.n_train + self.n_test <= self._n_exact
        return "integers" if is_counted else "enclosure"

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        (most, n_rows), fewest = self.stated, self.fewest or 0
        columns = {
            "what": "wrong labels",
            "rows": n_rows,
            f"{self.labeled_rows} rows": self.n_train,
            f"errors{self._of_errors} in these": self.n_train_errors,
            "lower bound of errors": fewest,
            "upper bound of errors": most,
            "lower": fewest / n_rows,
            "upper": most / n_rows,
        }
        return {name: [value] for name, value in columns.items()}, {}

    def _lines_of_counts(self, which: str = "") -> Iterator[tuple[str, str]]:
        labeled, other_rows = f"{self.labeled_rows} rows", f"{self._others} rows"
        yield f"{labeled}{which} (m)", f"{self.n_train}"
        yield f"{other_rows} (n)", f"{self.n_test}"
        if self.n_train_abstained or self.n_test_abstained:
            yield f"{labeled} abstained on", f"{self.n_train_abstained}"
            yield f"{other_rows} abstained on", f"{self.n_test_abstained}"
        a = self.n_train_errors
        rate = f" ({a / self.n_train:.2%})" if self.n_train else ""
        yield f"errors on {labeled}{self._of_errors} (a)", f"{a}{rate}"
        yield "delta", f"{self.delta:g}"

    def _lines_of_bounds(self) -> Iterator[tuple[str, str]]:
        b = self.max_test_errors
        yield "bound (b)", f"{b} ({percent(b, self.n_test)})"
        if self.stated != (b, self.n_test):
            most = f"at most {self.stated[0]} ({percent(*self.stated)})"
            yield "errors among all rows", most
