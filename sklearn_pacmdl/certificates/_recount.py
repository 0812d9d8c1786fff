"""Comparison of certificates of searches with data: labels are counted again."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ..columns import as_labels
from ..utils._checks import as_mask
from ..utils._row_order import check_same_order
from ..utils._words import joined
from ._fingerprint import (
    digest_of_numbers,
    fingerprint_certifying,
    fingerprint_row_order,
    number_labels,
)
from ._record import Record
from ._verification import Comparison

# What has an entry for each row.
_BY_ROW = {"y", "labels", "certifying"}


class Recount(Comparison):
    """Comparison of a certificate with the arguments of its method verify."""

    def __init__(self, record: Record, data: dict[str, Any]):
        super().__init__(record)
        self.data = data
        check_same_order(**{self.name(n): v for n, v in data.items() if n in _BY_ROW})
        self.arrays = {
            name: as_labels(data[name], name)
            for name in ("y", "labels")
            if data[name] is not None
        }
        shapes = [array.shape for array in self.arrays.values()]
        if len(set(shapes)) > 1 or any(len(shape) != 1 for shape in shapes):
            raise ValueError(
                f"{joined([*self.arrays])} must be 1-dimensional and of the same length, "
                f"got shapes {joined([*map(str, shapes)])}."
            )

    def compare(self) -> None:
        """Compare with all data that are given, and list what is not."""
        kept = self.record.fingerprints
        names = [name for name in ("certifying", "row_order") if name in kept]
        for name in ("y", "labels", *names):
            if self.data[name] is None:
                self.leave_unchecked(name, "not given")
        self._number()
        if self.codes:
            self._compare_labels()
        if self.data["row_order"] is not None:
            digest = fingerprint_row_order(self.data["row_order"])
            self.digest("row_order", digest, required=True)
        if self.compared:
            self.recorded(self.record._stated)

    def _number(self) -> None:
        """Number labels, as texts, alike in all columns, with -1 where there is none."""
        self.numbered = {
            name: number_labels(array, name, self.record.classes or None)
            for name, array in self.arrays.items()
        }
        texts = {n: [*map(str, column.names)] for n, column in self.numbered.items()}
        number = {text: i for i, text in enumerate(chain(*texts.values()))}
        self.codes = {
            name: np.array([*map(number.__getitem__, texts[name]), -1], np.int32)[
                column.codes
            ]
            for name, column in self.numbered.items()
        }

    def _counts(self) -> dict[str, int]:
        """The counts that a certificate states."""
        y, labels = self.codes["y"], self.codes["labels"]
        certifies = labeled = y >= 0
        if (mask := self.data["certifying"]) is not None:
            certifies = labeled & as_mask("certifying", mask, len(y))
            if self.record.n_select:
                self.digest("certifying", fingerprint_certifying(certifies))
        accepted = labels >= 0
        counted = {
            "n_train": certifies & accepted,
            "n_test": ~labeled & accepted,
            "n_train_errors": certifies & accepted & (y != labels),
            "n_select": labeled & ~certifies,
            "n_train_abstained": certifies & ~accepted,
            "n_test_abstained": ~labeled & ~accepted,
        }
        return {name: int(mask.sum()) for name, mask in counted.items()}

    def _compare_labels(self) -> None:
        """Count again, and compare classes and digests."""
        c, n_before, self.compared = self.record, len(self.problems), True
        counts = c.recounted(self._counts())
        if c.n_select and self.data["certifying"] is None:
            counts.append(
                f"certifying must tell which labeled rows certified, since {c.n_select} "
                "did not: divisions_[0][1] of a search, division[1] of given clusterings"
            )
        self.wrong_fields(counts)
        names = {*map(str, self.numbered["labels"].names)}
        if c.classes and not names <= {*map(str, c.classes)}:
            self.problem("labels", "there are classes that are none of the certificate's")
        for name in ("y", "labels"):
            if not counts:
                self.check(name, f"{np.sum(self.codes[name] >= 0)} labels counted")
            self.digest(name, digest_of_numbers(self.numbered[name]))
        if len(self.problems) > n_before and c.drawn:
            self.problems.append(
                "the certificate is about one split of labels that are all known: y must "
                "be missing on the held-out rows, and labels must be the labeling of "
                "this split, from split_transductions_ rather than transduction_"
            )
