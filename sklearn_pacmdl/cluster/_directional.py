"""Objectives of rows of unit length: cosines, and von Mises-Fisher densities."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..utils._von_mises_fisher import (
    MAX_CONCENTRATION,
    concentration,
    log_normalizer,
    mean_resultant_length,
)
from ._objective import Clusters, Objective

# Concentration per feature at which sizes count most against mean cosines, which is where
# k A_d'(k) is largest. With A_d(k) = (sqrt(1 + z^2) - 1) / z and z = 2 k / d, this is
# z / (s + s^2) for s = sqrt(1 + z^2). Its maximum is where s^2 - s - 1 = 0, so that s and
# z^2 are the golden ratio; see the Notes of FrequencySensitiveKMeans. Measured on blobs
# of 600, 300 and 100 rows (50 and 200 features, concentrations of 0.3 and 0.4 per
# feature): the largest cluster has 1.08 to 1.20 times the mean size with this constant,
# 1.11 to 1.20 with half of it, 1.11 to 1.32 with twice as much, 1.23 to 1.42 with a
# quarter or four times, and 1.35 to 2.19 with a tenth or ten times.
BALANCING = ((1 + 5**0.5) / 2) ** 0.5 / 2


class Directional(Objective):
    """What objectives of rows of unit length share: cosines, and exact exchanges."""

    def row_factors(self, X):
        norms = row_norms(X).astype(np.float64)
        lost = np.flatnonzero((norms == 0) | np.isinf(norms))
        if lost.size:  # rows of zeros, and those whose squares leave the range of floats
            norms[lost] = _scaled_norms(X[lost].astype(np.float64))
        usable = norms > np.finfo(np.float64).tiny
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=usable)

    def distances(self, rows, products, clusters):
        """Cosine distances."""
        return np.maximum(1 - products, 0)

    def exchange_scores(self, rows, batch, products, now):
        """By the lengths of sums with a row more, and at its own cluster with it less."""
        dtype = products.dtype
        lengths = np.maximum(now.clusters.lengths, np.finfo(dtype).tiny).astype(dtype)
        each, current = np.arange(len(products)), now.labels[batch]
        cosines = products[each, current]
        # A number in place of a column: 7 % of a fit of 20,000 x 128 dense rows, k = 50.
        if rows.weights_are_equal:
            weight = row_weight = dtype.type(rows.usual_weight)
        else:
            row_weight = rows.weight[batch].astype(dtype)
            weight = row_weight[:, None]
        gained = _by_unit_of_weight(lengths, weight, products)
        gained[each, current] = _by_unit_of_weight(lengths[current], -row_weight, cosines)
        return now.clusters.scores(gained)


@dataclass
class Cosine(Directional):
    """Sum of the cosines of rows with the centers of their clusters."""

    def place(self, rows, sums, sizes):
        directions, lengths = _unit_columns(sums)
        return Clusters(directions, lengths=lengths)


@dataclass
class FrequencySensitive(Directional):
    """Log density of rows whose concentration is inverse to the size of the cluster."""

    concentration: float | None = None  # of a cluster of average size

    first = Cosine()
    # Each move changes what the sizes say, but hardly the directions. On documents (k =
    # 10) the mean likelihood rises up to 20 rounds; 50 or 200 change nothing. One round
    # takes 20 to 40 % less time there, but twice the iterations on overlapping blobs.
    n_rounds = 20
    keeps_labels = True

    def place(self, rows, sums, sizes):
        """Scores that say what the likelihood gains by a unit of a row in a cluster."""
        n_features, k = sums.shape
        directions, lengths = _unit_columns(sums)
        average = self.concentration
        if average is None:
            average = BALANCING * n_features
        kappa = average * rows.total_weight / k / sizes
        kappa = np.minimum(kappa, MAX_CONCENTRATION)
        mean_length = mean_resultant_length(n_features, kappa)
        bias = log_normalizer(n_features, kappa) + kappa * (mean_length - lengths / sizes)
        return Clusters(directions, kappa, bias, lengths)

    def exchange_scores(self, rows, batch, products, now):
        """Rows count as part of their cluster, or the likelihood isolates single rows."""
        return now.clusters.scores(products)

    def value(self, rows, sums, sizes, clusters):
        log_normalizers = log_normalizer(sums.shape[0], clusters.gain)
        return float(sizes @ log_normalizers + clusters.gain @ clusters.lengths)


@dataclass
class VonMisesFisher(Directional):
    """Log density of rows in a mixture, and of its concentrations a priori."""

    assignment: Literal["hard", "soft"] = "soft"
    pseudo_count: float = 1.0
    # Mean cosine of rows with their center, towards which concentrations are drawn; not
    # a number until the first start sets it, for all starts, so that values compare.
    typical_length: float = np.nan

    first = Cosine()

    def place(self, rows, sums, sizes):
        n_features = sums.shape[0]
        directions, lengths = _unit_columns(sums)
        weights = sizes + self.pseudo_count
        drawn = lengths + self.pseudo_count * self.typical_length
        means = np.divide(drawn, weights, out=np.zeros_like(weights), where=weights > 0)
        kappa = concentration(n_features, means)
        with np.errstate(divide="ignore"):  # a component without rows
            log_weights = np.log(sizes / rows.total_weight)
        log_normalizers = log_normalizer(n_features, kappa)
        log_density = log_normalizers + kappa * self.typical_length
        prior = self.pseudo_count * float(log_density.sum())
        return Clusters(directions, kappa, log_normalizers + log_weights, lengths, prior)


def _scaled_norms(rows):
    """Norm of each row, its largest value taken out of the squares."""
    ends = [rows.max(axis=1), -rows.min(axis=1)]
    largest = np.max([e.toarray() if sparse.issparse(e) else e for e in ends], 0).ravel()
    largest[largest < np.finfo(np.float64).tiny] = 1.0
    return largest * row_norms(sparse.diags_array(1 / largest) @ rows)


def _by_unit_of_weight(length, weight, cosine):
    """(|s + w x| - |s|) / w for sums s of some length and unit rows x at some angle.

    As (2 |s| cosine + w) / (|s + w x| + |s|), which does not cancel; |s| is positive.
    """
    doubled = (2 * length) * cosine
    after = doubled * weight
    after += length**2 + weight**2
    np.sqrt(np.maximum(after, 0, out=after), out=after)
    after += length
    doubled += weight
    doubled /= after
    return doubled


def _unit_columns(sums):
    """Columns of unit norm, and their norms; a column of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->j", sums, sums))
    return sums / np.where(norms > 0, norms, 1.0), norms
