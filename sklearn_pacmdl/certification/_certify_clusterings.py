"""Certification of clusterings that exist already, without a search."""

from __future__ import annotations  # short signatures: names of types

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import BoundCertificate
from ..columns import ABSTAIN
from ..languages import Candidate, Language, LanguageName
from ..random_choice import RandomChoiceTest
from ..reports import ReportMixin, clusterings_report
from ..utils._checks import check_open_unit, invalid, is_iterable
from ..utils._printable import escaped
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order
from ..utils._words import as_frame
from ._counts import ClusterCounts
from ._goals import Noise, coverage_curve, make_goal, report_reach, report_unreached
from ._methods import Certify, resolve
from ._pipeline import (
    Sweep,
    bound,
    issue_certificate,
    rank,
    results_table,
    weigh_candidates,
)
from ._scoring import Scoring, check_label_scorers
from ._sources import Columns, read_source

if TYPE_CHECKING:
    import pandas as pd

Clusterings = (
    Mapping[str, ArrayLike] | ArrayLike | Sequence[ClusterCounts] | os.PathLike[str]
)


@dataclass(frozen=True, repr=False)
class CertifiedClusterings(ReportMixin):
    """Result of :func:`certify_clusterings`.

    Attributes
    ----------
    best_index, best_name : int, str
        Index and name of the chosen clustering.
    bound : float
        The certified bound on the error rate of the unlabeled rows that are given a
        class, in [0, 1]; lower is better. NaN if there are none.
    certificate : BoundCertificate or None
        The guarantee, with everything that it follows from. None if no unlabeled row is
        given a class: no set of clusters reached the target, or all rows are noise.
    coverage : float
        Share of the unlabeled rows that are given a class, in [0, 1]; higher is better.
        It is 1 without a target, unless noise is left out.
    coverage_curve : dict of str to ndarray of shape (n_sets,), or None
        With a target, ``coverage``, ``bound`` and ``test_error`` (NaN) at other targets,
        to be drawn by :meth:`CoverageDisplay.from_curve`; all bounds hold at once.
    cluster_classes : ndarray of shape (n_clusters,)
        Class given to each cluster of the chosen clustering, in the order of the sorted
        names of the clusters, or of the rows of the table of counts. Omitted clusters and
        their rows have -1, or None if the classes are not integers.
    results : dict of str to ndarray of shape (n_clusterings,)
        One entry per clustering, to be read as a DataFrame: ``clustering``, its name, and
        the columns of ``cv_results_`` of :class:`~sklearn_pacmdl.PACMDLSearchCV`, with
        ``score`` or ``score_<name>`` for the scores of ``scoring``.
    transduction, completed_y : ndarray of shape (n_samples,) or None
        Class given to each row, labeled or not: the certified labeling; and ``y`` with
        its gaps filled by it. None, as ``division``, unless rows are in memory.
    random_choice_test : RandomChoiceTest or None
        Whether the labeled rows look like a uniformly random choice. Where rows are
        counted, the test goes by the numbers of labeled rows in clusters and groups.
    division : tuple of ndarray of shape (n_select,) and (n_certify,), or None
        Indices of the selecting and certifying rows. Unless all labels certify, pass the
        latter to ``certificate.verify(y, transduction, certifying=...)``.
    cluster_columns : dict of str to ndarray of shape (n_clusters,), or None
        The columns of :attr:`clusters`; None for counts.
    certify : str
        Name of the method, with "auto" resolved.

    See Also
    --------
    certify_clusterings : The function that returns it.
    sklearn_pacmdl.PACMDLDisplay : Figure of all clusterings.
    sklearn_pacmdl.CoverageDisplay : Figure of the coverage curve.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import certify_clusterings, cluster_counts
    >>> counts = cluster_counts([[40, 1], [0, 39]], unlabeled=[500, 500])
    >>> certified = certify_clusterings([counts], certify="pac-mdl", language="simple")
    >>> certified.cluster_classes
    array([0, 1])
    >>> print(certified)
    0: With probability at least 90% over the random choice of the 80 labeled rows, at \
most 69 of the 1000 unlabeled rows (6.90%) are labeled wrongly, provided the labeled \
rows are a uniformly random choice, the 2 classes were known beforehand and the \
clusterings were made and chosen without the labels.
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
    coverage_curve: dict[str, NDArray] | None = None

    @property
    def clusters(self) -> pd.DataFrame:
        """The clusters of the chosen clustering as a table, which requires pandas.

        It is described as ``clusters_`` of :class:`~sklearn_pacmdl.PACMDLSearchCV`.
        """
        if self.cluster_columns is None:
            raise AttributeError(
                "clusters is available only if clusterings are given row by row, and not "
                "as counts."
            )
        return as_frame(self.cluster_columns, index="cluster")

    @property
    def classes_without_cluster(self) -> tuple[Any, ...]:
        """Classes that no cluster is given; none are listed if nothing is certified."""
        names = () if self.certificate is None else self.certificate.classes
        used = set(self.cluster_classes.tolist())
        return tuple(name for name in names if name not in used)

    def _report(self, title):
        return clusterings_report(self, title, self._chosen)

    def __repr__(self):
        caveat = "" if self.certificate is None else self.certificate.caveat
        but = f"; but {caveat}" if caveat else ""
        return f"{type(self).__name__}({self.best_name!r}, bound={self.bound:.4f}{but})"

    def __str__(self):
        certificate = self.certificate
        nothing = "nothing is certified."
        statement = nothing if certificate is None else certificate.statement
        return f"{self._chosen}: {statement}"

    @property
    def _chosen(self):
        n = len(self.results["algorithm"])
        among = f", chosen among {n} clusterings" if n > 1 else ""
        return f"{escaped(self.best_name)}{among}"


def certify_clusterings(
    clusterings: Clusterings,
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
    scoring: Scoring = None,
    delta: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> CertifiedClusterings:
    """Choose among clusterings that exist already, and certify the best of them.

    The clusterings may come from anywhere (clusters, topics, communities) if they were
    made without the labels ``y``. As in :class:`PACMDLSearchCV`, each cluster is given a
    class, and the number of errors among the unlabeled rows is bounded.

    Parameters
    ----------
    clusterings : mapping of str to array-like, DataFrame, array-like of shape \
(n_clusterings, n_samples), lazy frame, path of a Parquet file, or sequence or mapping \
of counts
        Cluster of each row, by name of the clustering: a dict, a data frame with a column
        for each, or an array with a row for each. Clusters are numbers, text, booleans or
        dates; missing values, and -1, are one cluster of noise. Without names the
        clusterings are called "0", "1" and so on. Rows need not fit into memory: lazy
        frames (Polars, DuckDB, Dask, Spark, Ibis) and Parquet files are counted by their
        engines. ``y`` must then name a column; all others are clusterings. Or counts, by
        :func:`cluster_counts`, and no ``y``: one clustering is divided at random.
    y : array-like of shape (n_samples,) or str, default=None
        Labels, or the name of their column in ``clusterings``. -1 or a missing value
        marks an unlabeled row. Rows that people could not decide keep their own class.
    certify : {"auto", "learned", "pac-mdl", "holdout"} or object, default="auto"
        How labeled rows are used, as in :class:`PACMDLSearchCV`: a name, or an object,
        as ``Learned(0.4)``. "auto" is "learned", or "pac-mdl" for up to three labels.
    choose : {"bound", "errors"}, default="bound"
        Criterion of the choice, as in :class:`PACMDLSearchCV`.
    language : {"simple", "init", "cluster", "algo"} or Language, default=None
        Bits that the choice of each clustering costs, as in :class:`PACMDLSearchCV`.
    columns : str, list of str or callable, default=None
        Which ``clusterings`` are candidates: names, patterns such as ``"leiden_*"``, or
        a function that takes a name and returns whether to use it. By default all are,
        except labels and groups. Columns of fractional numbers, or with more different
        values than half of the rows, are left out with a warning. A column with gaps
        exactly at those of the labels is refused.
    groups : array-like of shape (n_samples,) or str, default=None
        The group of each row, such as its document or patient, or the name of a column of
        ``clusterings``. The random choice test looks for groups labeled as a whole.
    candidates : sequence of Candidate, default=None
        Description of each clustering for the language: algorithm, number of clusters and
        random start. By default each is an algorithm of its own, so all cost the same.
    target : float, default=None
        Error rate, in (0, 1), that the bound must not exceed. Clusters are left out for
        it, as in :class:`PACMDLSearchCV`.
    noise : {"cluster", "abstain"}, default="cluster"
        How to treat missing clusters and -1, as in :class:`PACMDLSearchCV`. For counts it
        must be "cluster".
    classes : array-like of shape (n_classes,), default=None
        All classes that rows may have, if they are known in advance. For counts, the
        names of their columns, in that order; a certificate that requires all classes
        then assumes that these are all.
    scoring : str, scorer, list of str or dict, default=None
        Further scorers to record in ``results``; they certify nothing, and their scores
        have seen the labels. Names of metrics of classes or clusterings, or scorers of
        :func:`~sklearn_pacmdl.metrics.make_labeling_scorer` that need no rows ``X``, as
        in :class:`PACMDLSearchCV`. Must be None where rows are counted.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    random_state : int, RandomState instance or None, default=None
        Determines the division of the labeled rows, and ties between classes.

    Returns
    -------
    certified : CertifiedClusterings
        The chosen labeling, its certificate, and the classes that it certifies.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or if ``y`` has no labeled or no unlabeled
        row. If no column holds clusters, if one is a copy of the labels, if counts are
        not of the same rows, or if an engine cannot count the rows.
    ImportError
        If an engine requires ``pip install "sklearn-pacmdl[engines]"``.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Search that also computes the clusterings.
    sklearn_pacmdl.PACMDLDisplay : Figure of the result.

    Notes
    -----
    The guarantee holds only if the labeled rows are a uniformly random choice, which is
    tested, and if the clusterings were made and chosen without these labels. Fix the
    candidates, settings and seeds of all k attempts before the first result, and give
    each ``delta / k``. A list that was chosen after a look needs new labels alone, or an
    audit of the unlabeled rows. A cluster without labels gets a random class.

    From an engine or a file, only counts come into memory, and with "learned" and
    "holdout" the labeled rows. Their choice is tested by counts alone, and not with 10**9
    rows or more. ``certificate`` keeps no fingerprints, and ``clusters``, with the class
    of each, replace ``transduction``. The division depends on the contents of the labeled
    rows: if few are possible, the guarantee holds on average over ``random_state``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl import certify_clusterings
    >>> rng = np.random.RandomState(0)
    >>> y = rng.randint(3, size=600)
    >>> topics = np.where(rng.uniform(size=600) < 0.05, rng.randint(3, size=600), y)
    >>> y_seen = np.where(rng.permutation(600) < 200, y, -1)
    >>> certified = certify_clusterings(
    ...     {"topics": topics, "noise": rng.randint(3, size=600)},
    ...     y_seen,
    ...     classes=[0, 1, 2],
    ...     random_state=0,
    ... )
    >>> certified
    CertifiedClusterings('topics', bound=0.0850)
    >>> int((certified.transduction != y)[y_seen < 0].sum())
    17
    """
    delta = check_open_unit("delta", delta)
    check_same_order(clusterings=clusterings, y=y, groups=groups)
    # Parameters are checked before data.
    goal = make_goal(target, choose, noise, delta)
    resolve(certify, goal, language)
    check_label_scorers(scoring)
    # As in a search, so that both divide the rows and break ties alike.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=3).tolist()
    data = read_source(clusterings, y, classes, columns, groups, scoring)
    goal = replace(goal, declared=data.declared)
    candidates = _check_candidates(candidates, data.names)
    method = resolve(certify, goal, language, data.n_labeled)
    weights = weigh_candidates(language, candidates, method)
    counted = data.count(method, goal, weights.language, seeds[0], seeds[2])
    report_reach(goal, counted.sizes, delta)
    sweep = Sweep(
        method=method,
        goal=goal,
        candidates=candidates,
        counted=counted.clusterings,
        weights=weights,
        sizes=[counted.sizes],
        n_classes=len(data.classes),
        delta=delta,
    )
    return _certified(data, counted, bound(sweep))


def _certified(data, counted, claims):
    """What is claimed of the best clustering."""
    ranking, certificate, coverage = rank(claims), None, 0.0
    sweep, best = claims.sweep, ranking.best
    claim = claims.best[0][best]
    nothing = np.full(counted.clusterings[best].n_clusters, ABSTAIN)
    codes = nothing if claim is None else claim.option.classes
    fields, recorded = counted.label(best, codes, sweep.candidates)
    if claim is None:
        report_unreached(claims)
    else:
        coverage = claim.option.n_test / counted.sizes.n_test
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
    return CertifiedClusterings(
        best_index=best,
        best_name=data.names[best],
        bound=np.nan if certificate is None else certificate.bound,
        certificate=certificate,
        coverage=coverage,
        results={"clustering": np.array(data.names, dtype=object)}
        | results_table(claims, ranking)
        | counted.score(),  # last: scorers see labels
        certify=sweep.method.kind,
        coverage_curve=coverage_curve(claims) if sweep.goal.abstains else None,
        **fields,
    )


def _check_candidates(candidates, names):
    if candidates is None:
        return [Candidate(name) for name in names]
    described = list(candidates) if is_iterable(candidates) else []
    if len(described) != len(names) or not all(
        isinstance(candidate, Candidate) for candidate in described
    ):
        raise invalid(
            "candidates", f"{len(names)} Candidates, one for each clustering", candidates
        )
    if len(set(described)) < len(described):
        raise invalid("candidates", "different from one another", candidates)
    return described
