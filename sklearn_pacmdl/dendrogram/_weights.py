"""Weights of the cuts of a dendrogram, fixed before any label is seen."""

from fractions import Fraction
from typing import Literal

from numpy.typing import ArrayLike

from ..languages._auto import renormalized_number_weights
from ..utils._checks import check_option, exact_decimal, invalid, is_number
from ._trees import check_children, check_max_clusters


def count_prunings(children: ArrayLike, max_clusters: int) -> list[int]:
    """Count the prunings with c leaves, for every c.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as for :func:`dendrogram_children`.
    max_clusters : int
        Largest c, at least 1; values above ``n_rows`` are treated as ``n_rows``.

    Returns
    -------
    counts : list of int
        For c = 1, 2, ..., exactly; each is below ``4 ** c``.

    Raises
    ------
    ValueError
        If ``children`` is not a dendrogram, or ``max_clusters`` not an integer of at
        least 1.

    Examples
    --------
    >>> from sklearn_pacmdl.dendrogram import count_prunings
    >>> count_prunings([[0, 1], [2, 3], [4, 5]], max_clusters=4)
    [1, 1, 2, 1]
    """
    pairs = check_children("children", children)
    most = check_max_clusters(max_clusters, len(pairs) + 1)
    # A pruning of a node is the node itself or one pruning of either child, so that the
    # generating function of their numbers is z + left * right. It is kept as one integer,
    # its value at z = 2**width. No coefficient overflows, since there are at most as many
    # prunings as binary trees, a Catalan number.
    width = 2 * most
    itself, below = 1 << width, (1 << width * (most + 1)) - 1
    values = [itself] * (len(pairs) + 1)
    for left, right in pairs.tolist():
        values.append((itself + values[left] * values[right]) & below)
        values[left] = values[right] = 0  # not needed again, and long
    return [values[-1] >> width * c & (itself - 1) for c in range(1, most + 1)]


def cut_weights(
    children: ArrayLike,
    max_clusters: int,
    prior: Literal["counted", "flags"] = "counted",
    flat_weight: float | Fraction = Fraction(1, 2),
) -> dict[str, list[dict[str, Fraction]]]:
    """Weights of the cuts of a dendrogram, by their number of clusters.

    Flat cuts share ``flat_weight`` and prunings share the rest. A flat cut is a pruning
    too, and its weight is the sum of both.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as for :func:`dendrogram_children`.
    max_clusters : int
        Largest number of clusters, K; values above ``n_rows`` are treated as ``n_rows``.
    prior : {"counted", "flags"}, default="counted"
        Weight of a pruning with c leaves. With "counted", ``(K + 1) / (K c (c + 1))`` is
        shared evenly among all prunings with c leaves. With "flags", the weight is
        ``2 ** -(2 c - 1)``: one bit for each node down to the leaves tells whether it is
        a leaf.
    flat_weight : float or Fraction, default=1/2
        In [0, 1]; a float stands for its printed decimal.

    Returns
    -------
    weights : dict of str to list of dict of str to Fraction
        Under "flat" and "pruned", unless all weight is on the other, for c = 1..K: the
        weight of c, as "n_clusters", and that of one cut among those with c clusters,
        as "cut". Their products, summed over all prunings with up to K leaves, are at
        most 1; with "counted" they are exactly 1.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    Notes
    -----
    There are at most ``4 ** (c - 1)`` prunings with c leaves, so "counted" spends
    fewer bits than "flags" on which of them it is. The less balanced the tree, the more
    it saves. On the number c it spends about 2 log2(c) bits, whatever K is.

    Examples
    --------
    >>> from sklearn_pacmdl.dendrogram import cut_weights
    >>> weights = cut_weights([[0, 1], [2, 3], [4, 5]], max_clusters=3)
    >>> weights["pruned"][2]  # one of the two with 3 clusters
    {'n_clusters': Fraction(1, 9), 'cut': Fraction(1, 4)}
    >>> weights["flat"][2]
    {'n_clusters': Fraction(1, 9), 'cut': Fraction(3, 4)}
    """
    check_option("prior", prior, ("counted", "flags"))
    if not is_number(flat_weight) or not 0 <= flat_weight <= 1:
        raise invalid("flat_weight", "in [0, 1]", flat_weight)
    flat = exact_decimal(flat_weight)
    counts = count_prunings(children, max_clusters)
    numbers = renormalized_number_weights(range(1, len(counts) + 1))
    weights: dict[str, list[dict[str, Fraction]]] = {"flat": [], "pruned": []}
    for c, among in enumerate(counts, start=1):
        number = numbers[c]
        own = number / among if prior == "counted" else Fraction(1, 2 ** (2 * c - 1))
        total = flat * number + (1 - flat) * own * among
        of_cut = {"flat": flat * number + (1 - flat) * own, "pruned": (1 - flat) * own}
        for kind, weight in of_cut.items():
            weights[kind].append({"n_clusters": total, "cut": weight / total})
    shares = {"flat": flat, "pruned": 1 - flat}
    return {kind: terms for kind, terms in weights.items() if shares[kind] > 0}
