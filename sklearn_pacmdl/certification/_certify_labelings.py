"""Certification of labelings that exist already, without a search."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import BoundCertificate
from ..languages import Candidate, Language
from ..languages._paper import LanguageName
from ..random_choice import RandomChoiceTest
from ..reports import ReportMixin, labelings_report
from ..utils._checks import check_fields, check_open_unit, invalid, is_iterable
from ..utils._labels import ABSTAIN
from ..utils._printable import escaped
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order
from ..utils._words import as_frame
from ._counts import ClusterCounts
from ._frames import Columns
from ._goals import ALL_NOISE, Noise, make_goal
from ._methods import Certify, resolve
from ._pipeline import (
    Sweep,
    bound,
    check_language_of,
    issue_certificate,
    make_weighing,
    rank,
    results_table,
    weigh,
)
from ._sources import read_sources

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class CertifiedLabelings(ReportMixin):
    """Result of :func:`certify_labelings`; its fields are attributes.

    Parameters
    ----------
    best_index : int
        Index of the chosen labeling.
    best_name : str
        Name of the chosen labeling.
    bound : float
        The certified bound on the error rate of the unlabeled rows that are given a
        class, in [0, 1]; lower is better. NaN if there are none.
    certificate : BoundCertificate or None
        The guarantee, with everything that it follows from. None if no unlabeled row is
        given a class: no set of clusters reached the target, or all rows are noise.
    coverage : float
        Share of the unlabeled rows that are given a class, in [0, 1]; higher is better.
        It is 1 without a target, unless noise is left out.
    cluster_classes : ndarray of shape (n_clusters,)
        Class given to each cluster of the chosen labeling, in the order of the sorted
        names of the clusters, or of the rows of the table of counts. Clusters that are
        left out have -1, or None if the classes are not integers; so do their rows.
    results : dict of str to ndarray
        One entry per labeling, to be read as a DataFrame: ``labeling``, its name, and
        the columns of ``cv_results_`` of :class:`~sklearn_pacmdl.PACMDLSearchCV`.
    transduction : ndarray of shape (n_samples,), default=None
        Class given to each row, labeled or not: the certified labeling. This and all
        following fields are None if only counts were given, except
        ``random_choice_test``. If the rows stayed in an engine or a file,
        ``cluster_columns`` is not None either.
    completed_y : ndarray of shape (n_samples,), default=None
        ``y`` with its gaps filled by ``transduction``.
    random_choice_test : RandomChoiceTest, default=None
        Whether the labeled rows look like a uniformly random choice. Where rows are
        counted, the test goes by the numbers of labeled rows in clusters and groups.
    division : tuple of (ndarray, ndarray), default=None
        Indices of the labeled rows that select (or set weights), and of those that
        certify. Unless all labels certify, pass the latter to
        ``certificate.verify(y, transduction, certifying=...)``.
    cluster_columns : dict of str to ndarray, default=None
        The columns of :attr:`clusters`.
    certify : str, default=""
        The way to certify that was used: that of the parameter, or what "auto" stood for.

    See Also
    --------
    certify_labelings : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import ClusterCounts, certify_labelings
    >>> counts = ClusterCounts.from_tables([[40, 1], [0, 39]], unlabeled=[500, 500])
    >>> certified = certify_labelings([counts], certify="pac-mdl", language="simple")
    >>> certified.cluster_classes
    array([0, 1])
    >>> print(certified)
    0: With probability at least 90% over the random choice of the 80 labeled rows, at \
most 69 of the 1000 unlabeled rows (6.90%) are labeled wrongly, provided the labeled \
rows are a uniformly random choice, the 2 classes were known beforehand and the \
labelings were made and chosen without the labels.
    """

    best_index: int
    best_name: str
    bound: float
    certificate: BoundCertificate | None
    coverage: float
    cluster_classes: NDArray
    results: dict[str, NDArray]
    transduction: NDArray | None = None
    completed_y: NDArray | None = None
    random_choice_test: RandomChoiceTest | None = None
    division: tuple[NDArray[np.integer], NDArray[np.integer]] | None = None
    cluster_columns: dict[str, NDArray] | None = None
    certify: str = ""

    def __post_init__(self):
        check_fields(self, best_name=str, bound=Real, results=dict)
        check_fields(self, certificate=(BoundCertificate, NoneType))

    @property
    def clusters(self) -> "pd.DataFrame":
        """The clusters of the chosen labeling as a table, which requires pandas.

        It is described as ``clusters_`` of :class:`~sklearn_pacmdl.PACMDLSearchCV`.
        """
        if self.cluster_columns is None:
            raise AttributeError(
                "clusters is available only if labelings are given row by row, and not "
                "as counts."
            )
        return as_frame(self.cluster_columns, index="cluster")

    @property
    def classes_without_cluster(self) -> tuple[Any, ...]:
        """Classes that no cluster is given; none are listed if nothing is certified."""
        names = () if self.certificate is None else self.certificate.classes
        given = set(self.cluster_classes.tolist())
        return tuple(name for name in names if name not in given)

    _report = labelings_report

    def __repr__(self):
        caveat = "" if self.certificate is None else self.certificate.caveat
        but = f"; but {caveat}" if caveat else ""
        return f"{type(self).__name__}({self.best_name!r}, bound={self.bound:.4f}{but})"

    def __str__(self):
        said = self.certificate
        statement = "nothing is certified." if said is None else said.statement
        return f"{self._chosen}: {statement}"

    @property
    def _chosen(self):
        """The name of the chosen labeling, and among how many it was chosen."""
        n_labelings = len(self.results["algorithm"])
        among = f", chosen among {n_labelings} labelings" if n_labelings > 1 else ""
        return f"{escaped(self.best_name)}{among}"


def certify_labelings(
    labelings: Mapping[str, ArrayLike]
    | ArrayLike
    | Sequence[ClusterCounts]
    | os.PathLike[str],
    y: ArrayLike | str | None = None,
    *,
    certify: Certify = "auto",
    choose: Literal["bound", "errors"] = "bound",
    language: LanguageName | Language | None = None,
    columns: Columns = None,
    groups: ArrayLike | str | None = None,
    candidates: Sequence[Candidate] | None = None,
    target: float | None = None,
    noise: Noise = "cluster",
    classes: ArrayLike | None = None,
    delta: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> CertifiedLabelings:
    """Choose among labelings that exist already, and certify the best of them.

    The labelings may come from anywhere (clusters, topics, communities) as long as they
    were made without the labels ``y``. Each cluster is given a class, and the number of
    errors among the unlabeled rows is bounded, as :class:`PACMDLSearchCV` does with the
    clusterings that it computes.

    Parameters
    ----------
    labelings : mapping of str to array-like, DataFrame, array-like of shape \
(n_labelings, n_samples), lazy frame, path of a Parquet file, or sequence or mapping of \
ClusterCounts
        Cluster of each row, by name of the labeling: a dict, a data frame with a column
        for each labeling, or an array with a row for each. Clusters are numbers, text,
        booleans or dates; missing values, and -1, are one cluster of noise. Without
        names the labelings are called "0", "1" and so on.

        Rows need not fit into memory. The engine counts a LazyFrame of Polars, a
        relation of DuckDB, a DataFrame of Dask or Spark, a table of Ibis or the path of
        a Parquet file (see Notes). ``y`` must then name a column; all others are
        labelings.

        Or the counts of each, as of :meth:`ClusterCounts.from_tables`; then ``y`` must
        be None.
    y : array-like of shape (n_samples,) or str, default=None
        Labels, or the name of their column in ``labelings``. -1, or a missing value
        (None, NaN, NA), marks an unlabeled row. Mixing -1 and missing values warns,
        unless ``classes`` is given.
    certify : {"auto", "learned", "decoupled", "pac-mdl", "holdout"} or Strategy, \
default="auto"
        How the labeled rows are used, as in :class:`PACMDLSearchCV`. "auto" is "learned".
        It is "decoupled" with fewer than four labels, with ``choose="errors"``, or for
        counts that are not divided.
    choose : {"bound", "errors"}, default="bound"
        By what the labeling is chosen: the smallest bound, or the fewest errors that are
        expected from all labels, as in :class:`PACMDLSearchCV`. With a target it must be
        "bound".
    language : {"simple", "init", "cluster", "algo"} or Language, default=None
        How many bits the choice of each labeling costs, as in :class:`PACMDLSearchCV`.
    columns : str, list of str or callable, default=None
        Which of ``labelings`` are candidates: names, or patterns of names such as
        ``"leiden_*"``, in which * stands for any text, or a function that takes a name
        and returns whether it is meant.
        By default all are, except the labels and the groups. Columns that hold numbers
        which are not whole, or more different values than half of the rows, are refused,
        as are those that are missing exactly where the labels are.
    groups : array-like of shape (n_samples,) or str, default=None
        The group of each row, of any hashable type, such as its document, patient or
        field, or the name of their column in ``labelings``, which is no candidate then.
        The test of the choice of the labeled rows looks for groups that were labeled as
        a whole.
    candidates : sequence of Candidate, default=None
        Description of each labeling for the language: algorithm, number of clusters and
        random start. By default each labeling is an algorithm of its own, so all cost the
        same number of bits.
    target : float, default=None
        Error rate, in (0, 1), that the bound must not exceed. As many rows as possible
        are given a class, and clusters that would miss the target are left out, as
        :class:`PACMDLSearchCV` does with a target. By default every row is given a class.
    noise : {"cluster", "abstain"}, default="cluster"
        What becomes of missing clusters and -1: one more cluster, or rows that are given
        no class and are not certified, as in :class:`PACMDLSearchCV`. For counts it must
        be "cluster".
    classes : array-like, default=None
        All classes that rows may have, if they are known in advance. For counts, the
        names of their columns, in that order; where the classes must be known, that these
        are all classes remains an assumption of the certificate.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    random_state : int, RandomState instance or None, default=None
        Determines the division of the labeled rows, and ties between classes.

    Returns
    -------
    certified : CertifiedLabelings
        The chosen labeling, its certificate, and the classes that it certifies.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or if ``y`` has no labeled or no unlabeled
        row. If a column holds measurements or names of rows instead of clusters, if
        counts are not of the same rows, or if an engine cannot count the rows.
    ImportError
        If the rows are in an engine or a file, and what reaches it is not installed:
        ``pip install "sklearn-pacmdl[engines]"``.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Search that also computes the clusterings.
    sklearn_pacmdl.cluster.PrecomputedLabels : Labelings as clusterers of a search.

    Notes
    -----
    The guarantee holds only if the labeled rows are a uniformly random choice, which is
    tested, and if the labelings were made and chosen without these
    labels. The second condition cannot be tested: where the labels of a
    classifier that was fitted to ``y`` are passed as a labeling, the bound may be far
    below the error rate.

    A cluster without labels gets a random class, since names of clusters have no
    distances.

    **Rows in an engine or a file.** The engine counts the rows of each cluster and
    label, and only these counts come into memory. "learned" and "holdout" also read the
    labeled rows, to divide them at random. This takes 8 bytes for each labeled row and
    column, besides what the engine needs. The certificate states the same bound as with
    the rows in memory, except that the division and ties are drawn anew. Because
    neither rows nor their order are known,

    - the choice of the labeled rows is tested by counts alone, that is, whether clusters
      (and ``groups``) have as many labels as a random choice gives them, which says
      nothing about places in a file. With 10**9 rows or more it is not tested;
    - ``certificate`` keeps no fingerprints of labels, so that it can be recomputed but
      not compared with data;
    - the division depends on the contents of the labeled rows instead of their numbers.
      Where few contents are possible, as with one labeling into two clusters, the
      guarantee of "learned" and "holdout" holds on average over ``random_state``, and at
      a single value only about;
    - there is no ``transduction``: join ``clusters``, which has the class of each
      cluster, to the chosen column.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl import certify_labelings
    >>> rng = np.random.RandomState(0)
    >>> y = rng.randint(3, size=600)
    >>> topics = np.where(rng.uniform(size=600) < 0.05, rng.randint(3, size=600), y)
    >>> y_seen = np.where(rng.permutation(600) < 200, y, -1)
    >>> certified = certify_labelings(
    ...     {"topics": topics, "noise": rng.randint(3, size=600)},
    ...     y_seen,
    ...     classes=[0, 1, 2],
    ...     random_state=0,
    ... )
    >>> certified
    CertifiedLabelings('topics', bound=0.0850)
    >>> int((certified.transduction != y)[y_seen < 0].sum())
    17
    """
    delta = check_open_unit("delta", delta)
    check_same_order(labelings=labelings, y=y, groups=groups)
    # Parameters are checked before data.
    goal = make_goal(target, choose, noise, delta)
    check_language_of(resolve(certify, goal), language)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    names, data = read_sources(labelings, y, classes, columns, groups)
    candidates = _candidates(candidates, names)
    strategy = resolve(certify, goal, data.n_labeled())
    weighing = make_weighing(language, candidates, strategy)
    sweep = Sweep(
        strategy=strategy,
        goal=goal,
        candidates=candidates,
        counted=data.count(strategy, goal, weighing.language, seed),
        weighing=weighing,
        sizes=[data.sizes],
        n_classes=len(data.classes),
        delta=delta,
    )
    claims = bound(weigh(sweep))
    ranking = rank(claims)
    chosen = _chosen(claims, ranking.best, data)
    if chosen["certificate"] is None:
        why = f"No set of clusters has a bound of at most target={target}"
        why = ALL_NOISE if target is None else why
        warnings.warn(f"{why}, so no row is given a class.", stacklevel=2)
    return CertifiedLabelings(
        best_index=ranking.best,
        best_name=names[ranking.best],
        results={"labeling": np.array(names, dtype=object)}
        | results_table(claims, ranking),
        certify=strategy.kind,
        **chosen,
    )


def _chosen(claims, best, data):
    """What is said of the chosen labeling, of which no cluster may be certified."""
    (claim,), sweep = claims.of(best), claims.sweep
    if claim is None:
        nothing = np.full(sweep.of(best).n_clusters, ABSTAIN)
        found, _ = data.label(best, nothing, sweep.candidates)
        return {"bound": np.nan, "certificate": None, "coverage": 0.0, **found}
    found, recorded = data.label(best, claim.option.classes, sweep.candidates)
    certificate = issue_certificate(
        claims,
        0,
        best,
        {},
        declared=data.declared,
        made_before=True,
        classes=data.classes.tolist(),
        **recorded,
    )
    return {
        "bound": certificate.bound,
        "certificate": certificate,
        "coverage": claim.option.n_test / data.sizes.n_test,
        **found,
    }


def _candidates(candidates, names):
    if candidates is None:
        return [Candidate(name) for name in names]
    described = list(candidates) if is_iterable(candidates) else []
    if len(described) != len(names) or not all(
        isinstance(candidate, Candidate) for candidate in described
    ):
        raise invalid(
            "candidates", f"{len(names)} Candidates, one for each labeling", candidates
        )
    if len(set(described)) < len(described):
        raise invalid("candidates", "different from one another", candidates)
    return described
