"""The search that labels only the clusters that can be certified."""

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certification._goals import LabelWithin, Noise, drops_noise
from ..certification._registry import CertifyName, SelectFraction, make_strategy
from ..languages import Language
from ..languages._paper import LanguageName
from ..utils._checks import check_open_unit
from ..utils._labels import completed, decode
from ._base_search import BaseSearch, Clusterers, Numbers, ParameterGrids, Scoring
from ._messages import OF_LABELERS


class SelectiveClusterLabeler(BaseSearch):
    """Label the clusters whose errors can be certified, and leave out the others.

    Given a target error rate, as many unlabeled rows as possible are given a class
    such that the bound on the error rate *among these* is at most the target. The other
    rows are left to a person. The labeler sweeps clusterers, numbers of clusters,
    random starts and parameters as :class:`PACMDLSearchCV` does, and certifies by the
    same theorem [1]_. A labeling that leaves clusters out is a labeling of the
    remaining rows. The choice of the clusters to leave out is fixed in advance or costs
    bits.

    Parameters
    ----------
    estimator : estimator or list of (str, estimator)
        Clusterers with ``fit_predict``, or Pipelines that end in one. Of classifiers,
        classes or the less sure quarters of them are left out.
    param_grid : dict or list of dict, default=None
        Further parameters to try.
    target : float, default=0.05
        Error rate, in (0, 1), that the bound for the rows that are given a class must
        not exceed.
    n_clusters : int, array-like of int or dict, default=None
        Numbers of clusters to try. With many small clusters, it is easier to leave out
        only the uncertain ones.
    n_init : int or dict, default=1
        Number of random starts.
    language : {"simple", "init", "cluster", "algo"} or Language, default=None
        How many bits the choice of each candidate costs, as in :class:`PACMDLSearchCV`.
        It must be None with ``certify="holdout"``.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    certify : {"auto", "learned", "decoupled", "pac-mdl", "holdout"}, default="auto"
        How the labeled rows are used.

        - "learned": a random part of them sets a prior over candidates and names of
          clusters, and fixes a few nested sets of clusters of each candidate. The rest
          chooses and certifies all at once, with a share of delta for each set.
        - "holdout": the first part chooses the clustering, too, and the rest certifies
          just its sets.
        - "decoupled" and "pac-mdl": all labels certify, and any set of clusters may be
          left out. Of c clusters, log2(c) bits describe how many are kept, and log2 of
          the number of such sets which ones.
        - "auto": "learned"; with fewer than four labels "decoupled".
    select_fraction : float or "auto", default="auto"
        Share of the labeled rows, in (0, 1), that does not certify; "auto" is 0.6.
    noise : {"cluster", "abstain"}, default="cluster"
        What becomes of rows that a clusterer calls noise (-1): a cluster that may be left
        out as others are, or rows that are left out first, which costs nothing.
    classes : array-like, default=None
        All classes that rows may have, if they are known in advance. Only the guarantee
        of "pac-mdl" assumes that they are.
    cv : int, splitter or None, default=None
        How the rows are split, once, into labeled and unlabeled ones if all of ``y`` is
        labeled; None means in halves. Must be None if ``y`` has unlabeled rows.
    scoring : str, callable, list of str or dict, default=None
        Further scorers to record.
    n_jobs : int, default=None
        Number of candidates fitted in parallel.
    pre_dispatch : int or str, default="2*n_jobs"
        Number of tasks dispatched in advance, as in :class:`joblib.Parallel`.
    memory : str or joblib.Memory, default=None
        Where to keep finished clusterings: in a folder of pickles, which can run any code
        when they are read. Share it only with people you trust.
    random_state : int, RandomState instance or None, default=None
        Determines the row permutation, the splits and divisions of the labeled rows, the
        random starts, and ties between classes. The coverage depends on the seed, by tens
        of percentage points where labels are few: fix the seed before looking at results.
    error_score : "raise" or float, default=np.nan
        Bound recorded for a candidate whose fit fails.
    verbose : int, default=0
        Verbosity of :class:`joblib.Parallel`.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,)
        Class of each row, certified on the unlabeled rows; -1 for rows that are given no
        class (None if the classes are not integers).
    coverage_ : float
        Share of the unlabeled rows that are given a class, in [0, 1]; higher is
        better. 0 if no set of clusters reaches the target.
    best_bound_ : float
        Certified bound on the error rate among these rows, at most ``target``. Only if
        there are any.
    certificate_ : BoundCertificate
        The guarantee. Only if some set of clusters reaches the target.
    certificates_ : list of BoundCertificate
        ``[certificate_]``, or an empty list.
    coverage_curve_ : dict of str to ndarray
        ``coverage``, ``bound`` (rates) and ``test_error`` (rate among the unlabeled
        rows that are given a class, NaN where unknown) of the best labelings for other
        targets, from little coverage to much. The bounds of all points hold at once, if
        there is a certificate of any.
    cv_results_ : dict of str to ndarray
        As in :class:`PACMDLSearchCV`. Bounds and errors are those among the rows that
        are given a class, whose share is ``mean_coverage``. Hold-out chooses by
        ``mean_expected_coverage``, which depends on the selecting rows only.
    ranked_by_, constant_error_ : object
        As in :class:`PACMDLSearchCV`.
    best_index_ : int
        Index of the chosen candidate: the one with the largest coverage. Under hold-out
        the expected coverage decides, as a mean over starts.
    best_params_, best_algorithm_, best_mean_bound_, best_estimator_, labels_ : object
        As in :class:`PACMDLSearchCV`.
    certify_ : str
        The way to certify that was used: ``certify``, or what "auto" stands for.
    splits_, divisions_, n_splits_, row_order_, refit_time_, classes_ : object
        As in :class:`PACMDLSearchCV`.
    completed_y_ : ndarray of shape (n_samples,)
        ``y`` with its gaps filled where ``transduction_`` has a class; given labels are
        kept.
    clusters_ : DataFrame
        As in :class:`PACMDLSearchCV`; ``named_by`` is "left out" for clusters that are
        given no class.
    classes_without_cluster_ : ndarray
        Classes that are not assigned to any cluster.
    random_choice_test_ : RandomChoiceTest
        As in :class:`PACMDLSearchCV`.
    split_transductions_ : ndarray of shape (1, n_samples)
        The same as ``transduction_``.
    n_features_in_ : int
        Number of features seen during ``fit``, where X has features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where X has string names.

    See Also
    --------
    PACMDLSearchCV : Search that labels every row.
    sklearn_pacmdl.audits.finish_labels : Labels the surest rows of a data set, and leaves
        the others to people.
    CoverageDisplay : Figure of the coverage curve.

    Notes
    -----
    Testing nested sets of clusters one after the other and keeping the largest that
    passes is not free, although tests in a fixed order can be. So the sets share delta.
    Which sets these are depends on ``target``, so hold-out may cover more rows at a
    smaller target. But trying several targets, or seeds, and keeping the best result
    invalidates the guarantee. Fix them in advance, and divide
    ``delta`` by their number.

    References
    ----------
    .. [1] A. Blum and J. Langford, "PAC-MDL Bounds", COLT 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_pacmdl import SelectiveClusterLabeler
    >>> X, y = load_digits(return_X_y=True)
    >>> hidden = np.random.RandomState(0).permutation(len(y))[:900]
    >>> y_seen = y.copy()
    >>> y_seen[hidden] = -1
    >>> labeler = SelectiveClusterLabeler(
    ...     AgglomerativeClustering(), n_clusters=[60, 70, 80], random_state=0
    ... ).fit(X, y_seen)
    >>> bool(labeler.best_bound_ <= 0.05 and labeler.coverage_ > 0.9)
    True
    """

    coverage_curve_: dict[str, NDArray]

    _reasons = OF_LABELERS

    refit = True  # the answers are about rows, so the chosen clusterer is needed
    paper_bounds = False

    def __init__(
        self,
        estimator: Clusterers,
        param_grid: ParameterGrids = None,
        *,
        target: float = 0.05,
        n_clusters: Numbers = None,
        n_init: int | Mapping[str, int] = 1,
        language: LanguageName | Language | None = None,
        delta: float = 0.1,
        certify: CertifyName = "auto",
        select_fraction: SelectFraction = "auto",
        noise: Noise = "cluster",
        classes: ArrayLike | None = None,
        cv: Any = None,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        error_score: Literal["raise"] | float = np.nan,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.target = target
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.param_grid = param_grid
        self.language = language
        self.delta = delta
        self.certify = certify
        self.select_fraction = select_fraction
        self.noise = noise
        self.classes = classes
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.pre_dispatch = pre_dispatch
        self.memory = memory
        self.random_state = random_state
        self.error_score = error_score
        self.verbose = verbose

    def _make_strategy(self, n_labeled=None):
        self._goal()
        return make_strategy(
            self.certify, self.select_fraction, n_labeled=n_labeled, for_sets=True
        )

    def _goal(self):
        target = check_open_unit("target", self.target)
        return LabelWithin(target, self.delta, drops_noise(self.noise))

    def _describe(self, plan, claims):
        offered = [claim for own in claims.offered[0].values() for claim in own]
        n_unlabeled = claims.sweep.sizes[0].n_test
        self.coverage_curve_ = coverage_curve(offered, n_unlabeled)

    def _label(self, plan, X, claims):
        (codes,) = self._row_codes(plan, claims)
        if None in claims:
            bounds = self.coverage_curve_["bound"]
            least = f"The smallest bound is {bounds[0]:.4f}." if len(bounds) else ""
            warnings.warn(
                f"No set of clusters has a bound of at most target={self.target}, so no "
                f"row is given a class. {least}",
                stacklevel=4,
            )
        self._describe_clusters(plan, X, codes)
        self.transduction_ = decode(codes, self.classes_)
        self.split_transductions_ = self.transduction_[None]
        self.completed_y_ = completed(plan.labels, self.transduction_, self.classes_)


def coverage_curve(claims, n_unlabeled):
    """Coverage, bound and error of claims that none surpasses in both of the first."""
    front, most = [], 0
    for claim in sorted(claims, key=lambda c: (c.bound, -c.option.n_test)):
        if claim.option.n_test > most:
            most = claim.option.n_test
            front.append(claim)
    rows, errors = (
        np.array([getattr(claim.option, name) for claim in front], dtype=float)
        for name in ("n_test", "test_errors")
    )
    return {
        "coverage": rows / n_unlabeled,
        "bound": np.array([claim.bound for claim in front], dtype=float),
        "test_error": np.where(errors >= 0, errors / rows, np.nan),
    }
