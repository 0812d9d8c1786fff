"""The language "auto", which describes exactly what a sweep ranges over."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ._base import Candidate, SweepRange, Terms, UniformLabelLanguage, proven
from ._labels import balanced_label_weight
from ._paper import number_weight


@proven
@dataclass(frozen=True)
class AutoLanguage(UniformLabelLanguage):
    """The paper's language Algo, renormalized on the sweep, with a share for balance.

    The weight 1 / (c (c - 1)) of the number of clusters is divided by its sum over the
    numbers requested of the algorithm, so that a single number costs nothing. If one
    cluster is among the numbers, the weight is 1 / (c (c + 1)) instead. The weight of the
    labels is the mean of the uniform weight ``l ** -c`` and of the weight of
    :class:`BalancedLabels`. No labeling costs more than one bit more than under Algo. If
    classes are of similar sizes, or several candidates agree, it costs several bits less.

    Its instance ``AUTO`` is what ``language="auto"`` stands for.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import AUTO, Candidate
    >>> sweep = [Candidate("ward", c) for c in (2, 3)]
    >>> [weights["n_clusters"] for weights in AUTO.candidate_weights(sweep)]
    [Fraction(3, 4), Fraction(1, 4)]
    """

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        sweep = SweepRange(candidates)
        numbers = {
            algorithm: self._number_weights(sweep.values(algorithm, "n_clusters"))
            for algorithm in sweep.algorithms
        }
        return [
            {
                "init": sweep.uniform_weight(c, "init"),
                "n_clusters": numbers[c.algorithm][c.n_clusters],
                "algorithm": sweep.uniform_weight(c, "algorithm"),
                "grid": sweep.uniform_weight(c, "grid"),
            }
            for c in candidates
        ]

    def _number_weights(
        self, numbers: Collection[int | None]
    ) -> dict[int | None, Fraction]:
        """The paper's weights of the numbers of clusters, divided by their sum."""
        return renormalized_number_weights(numbers)

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        uniform = super().label_weight(cluster_sizes, cluster_classes, n_classes)
        balanced = balanced_label_weight(cluster_sizes, cluster_classes, n_classes)
        # Halves cost at most one bit, whatever the classes. Uniform weights alone have
        # bounds larger by 1.4 points on average over six data sets, five of them with
        # classes of similar sizes. There balanced weights alone are better by 0.6, but
        # the bits they may cost elsewhere have no limit
        # (benchmarks/results/constants.json).
        return (uniform + balanced) / 2


def renormalized_number_weights(
    numbers: Collection[int | None],
) -> dict[int | None, Fraction]:
    """The paper's weights of the numbers of clusters, divided by their sum."""
    shift = 1 if 1 in numbers else 0
    weights = {c: number_weight(c if c is None else c + shift) for c in numbers}
    total = sum(weights.values())
    return {c: weight / total for c, weight in weights.items()}


AUTO = AutoLanguage()
