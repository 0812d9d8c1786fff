"""The search for a clustering, chosen and certified by its bound."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..audits import Audit
from ..labeling import ClusterLabelClassifier
from ..languages import Language
from ..utils._checks import check_open_unit
from ..utils._labels import completed
from ..utils._words import as_frame
from ._audit_of_search import audit_of_search, row_confidence
from ._base import (
    BaseSearch,
    CertifyName,
    Clusterers,
    LanguageName,
    Numbers,
    ParameterGrids,
    Scoring,
    SelectFraction,
)
from ._candidates import named_estimators
from ._learners import probabilities
from ._missing import (
    CLUSTERS,
    no_audit,
    no_clusters,
    no_confidence,
    no_prediction,
    no_refit,
)
from ._planned import search_plan

if TYPE_CHECKING:
    import pandas as pd


def _can_predict(self):
    """Whether the chosen clusterer, or before ``fit`` any of them, has ``predict``."""
    if not self.refit:  # the chosen one is not kept
        return False
    if hasattr(self, "best_estimator_"):
        return hasattr(self.best_estimator_, "predict")
    return any(hasattr(est, "predict") for _, est in named_estimators(self.estimator))


class PACMDLSearchCV(ClassifierMixin, BaseSearch):
    """Search for a clustering, with a PAC-MDL bound on its labeling errors.

    The search sweeps clusterers, numbers of clusters, random starts and parameters.
    Every clustering is turned into a classifier: each cluster gets its most common
    label. The PAC-MDL theorem [1]_ bounds the number of its errors on the rows
    *without* a label, and the clustering with the smallest bound is chosen. The bound
    accounts for every choice made by looking at labels, so it is a guarantee for the
    chosen clustering.

    Parameters
    ----------
    estimator : clusterer or list of (str, clusterer)
        Clusterers with ``fit_predict``, or Pipelines that end in one. Steps of a
        Pipeline are fitted without labels; a step that needs labels raises an error.
    param_grid : dict or list of dict, default=None
        Further parameters to try, as in :class:`~sklearn.model_selection.GridSearchCV`.
        With several clusterers the keys are ``name__parameter``. Numbers of clusters and
        random states are set by ``n_clusters`` and ``n_init`` instead.
    n_clusters : int, array-like of int or dict, default=None
        Numbers of clusters to try, for the parameter ``n_clusters`` (or
        ``n_components``) of the clusterers that have it. A dict gives them by the name
        of the clusterer. By default each clusterer keeps its own number.
    n_init : int or dict, default=1
        Number of random starts, each with its own seed, of every clusterer that has a
        ``random_state``; the others run once. A clusterer's own ``n_init``, by which it
        keeps the best of several starts by its own objective, is left unchanged and costs
        no bits.
    language : {"auto", "simple", "init", "cluster", "algo"} or object, default=None
        Description language: how many bits each choice costs, see
        :mod:`sklearn_pacmdl.languages`. "auto" covers exactly what is swept; the other
        names are the languages of [1]_, which refuse a sweep that they do not cover. By
        default it is "auto", with preferred numbers of clusters under "decoupled". It
        must be None with ``certify="holdout"``, where no choice costs bits.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    certify : {"decoupled", "pac-mdl", "learned", "holdout", "auto"}, default="decoupled"
        How the labeled rows are used.

        - "decoupled": all of them choose, name and certify. The choice of the clustering
          costs bits; the classes of its clusters do not, since the bound of
          :func:`~sklearn_pacmdl.bounds.decoupled_bound` holds for all of them at once. A
          tenth of ``delta`` goes to the bound of "pac-mdl"; the smaller one counts.
        - "pac-mdl": the criterion of [1]_. All labels choose, name and certify, and the
          choice and the classes cost bits.
        - "learned": a random part of the labels sets the weights of clusterings and
          classes; the others choose and certify under these weights.
        - "holdout": a random part of the labels chooses one clustering and names its
          clusters; the others certify only that, and no bits are paid.

        Hold-out often gives the tightest bound where there are many labels, "decoupled"
        where there are few, where delta is tiny, or where a statement about all
        candidates at once is needed (see ``cv_results_``). "auto" chooses from numbers of
        rows, splits and clusters and from delta, never from labels: see ``certify_``.
        Names given to :func:`~sklearn_pacmdl.certification.register_strategy` are allowed
        too.
    select_fraction : float or "auto", default="auto"
        Share of the labeled rows, in (0, 1), that does not certify. "auto" is a rule of
        the median c of the candidates' numbers of clusters: with the natural logarithm,
        ``0.25 + 0.1 * log(c)`` for "holdout", within [0.3, 0.65], and ``0.2 + 0.06 *
        log(c)`` for "learned", within [0.25, 0.5], to two decimal places. Where no number
        is known before clustering, it is 0.5 and 0.3.
    classes : array-like, default=None
        All classes that rows may have, if they are known in advance. By default these
        are the classes in ``y``; if ``y`` has unlabeled rows, the guarantee then assumes
        that they were known in advance under "learned", or where classes cost bits.
        Under "holdout" clusters are only given classes of selecting rows, declared or
        not.
    cv : int, splitter or None, default=None
        How the rows are split into labeled and unlabeled ones if all of ``y`` is
        labeled. An int is a number of random halvings; None means one. Splits that are
        not uniformly random give scores without certificates. Must be None if ``y`` has
        unlabeled rows.
    scoring : str, callable, list of str or dict, default=None
        Further scorers to record besides the bound, in the columns ``score_<name>``
        ("score" for a single one). Scorers made from metrics compare the clusters with
        the labels on the labeled rows; other callables get ``(fitted clusterer, X, y)``
        with all rows, in the permuted order.
    paper_bounds : bool, default=False
        Whether to record the bounds that the languages of [1]_ would give, in the columns
        ``mean_simple_bound``, ``mean_init_bound``, ``mean_cluster_bound`` and
        ``mean_algo_bound``. Each is a guarantee only for a choice that its language
        describes. It must be False where some labels select.
    refit : bool, default=True
        Whether to provide the chosen clusterer, fitted, which the attributes about rows
        require. Its fit is kept where it is small, and repeated otherwise, see Notes.
    n_jobs : int, default=None
        Number of candidates fitted in parallel. The processes divide the cores, as those
        of joblib do. The labels of some clusterers depend on the number of threads of
        a fit, see Notes.
    pre_dispatch : int or str, default="2*n_jobs"
        Number of tasks dispatched in advance, as in :class:`joblib.Parallel`.
    memory : str or joblib.Memory, default=None
        Where to keep finished clusterings. A sweep that is interrupted, or repeated
        with more candidates or other labels, does not compute them again unless the
        code of the clusterer has changed. Several processes may use one folder at the
        same time. It holds pickles, which can run any code when they are read, so share
        it only with people you trust. Effective only with an integer
        ``random_state``; otherwise rows are shuffled differently each time. Nothing is
        deleted: ``joblib.Memory(folder).reduce_size("1G")`` drops the clusterings that
        were used least recently.
    random_state : int, RandomState instance or None, default=None
        Determines the row permutation, the splits and divisions of the labeled rows, the
        random starts, and ties between classes. Under "holdout" and "learned" the bound
        depends on the seed, by several percentage points where labels are few: fix the
        seed before looking at results.
    error_score : "raise" or float, default=np.nan
        Bound recorded for a candidate whose fit fails; one warning lists all of them.
        With "raise" the error is raised instead.
    verbose : int, default=0
        Verbosity of :class:`joblib.Parallel`. See Notes for a progress bar.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray
        One entry per candidate, to be read as a DataFrame:

        - ``rank_test_bound`` (1 for the best), or ``rank_selection_error`` under
          hold-out; ``ranking_value``, what candidates are ranked by, lower is better;
        - ``algorithm``, ``n_clusters`` (the number asked for, masked where there is no
          such parameter), ``n_clusters_found``, ``init`` (the index of the random start),
          ``params``, ``param_*``;
        - ``mean_test_bound``: the bound under the chosen ``language`` and ``certify``, a
          rate in [0, 1], lower is better; ``mean_train_errors``: a count;
          ``mean_test_error``: the error rate on the unlabeled rows, if their labels are
          known;
        - ``sharper_bound``, only with ``certify="decoupled"``: True for the leading
          candidates, whose bounds use the tighter numerical tables, as certificates do.
          These are at most 16, and fewer where rows or splits are many. The others have
          bounds in closed form. The bounds of either kind hold for all candidates at
          once, and the column ``mean_test_bound`` as a whole may fail with probability
          ``2 * delta``;
        - ``mean_selection_error``, unless all labels certify: the leave-one-out error
          rate of the majority labels on the selecting rows;
        - ``description_length`` in bits, and ``bits``, a dict of its parts by term.
          Candidates with the same labeling save bits by "pooling", which is at most 0;
        - ``fit_time`` in seconds, with the tree where candidates share one for the first
          of them; ``score`` or ``score_<name>``.

        With several splits, ``mean_*`` are means over splits, ``split<i>_*`` are the
        values of each split, and ``std_test_bound`` is the standard deviation. Hold-out
        ranks candidates by the mean selection error over starts, and only the chosen
        candidate has a bound, bits and errors: those of the others would hold only one
        at a time.
    ranked_by_ : str
        Column of ``cv_results_`` that candidates are ranked by, such as
        "mean_test_bound".
    constant_error_ : float
        Error rate of the best constant classifier, in [0, 1]: on the unlabeled rows if
        their labels are known, else on the labeled rows.
    best_index_ : int
        Index of the chosen candidate: the one with the smallest mean bound. Ties are
        broken by the shorter description, then by the order of the candidates. Under
        hold-out, it is the start with the smallest selection error of the clusterer,
        number of clusters and parameters whose mean selection error is smallest.
    best_params_ : dict
        Parameters of the chosen candidate, seeds included.
    best_algorithm_ : str
        Name of the chosen clusterer.
    best_mean_bound_ : float
        Mean of the bounds of the chosen candidate over the splits. It is descriptive,
        and a guarantee only with a single split.
    best_bound_ : float
        Certified bound on the error rate of the unlabeled rows, in [0, 1]. Only if there
        is exactly one certificate. The bound does not account for a choice among
        several searches, see Notes.
    certificate_ : BoundCertificate
        The only certificate, if there is exactly one.
    certificates_ : list of BoundCertificate
        One for each split, each valid by itself; empty if the splits allow none.
    certify_ : str
        The way to certify that was used: ``certify``, or what "auto" stands for. This is
        "decoupled" with fewer than four labels, "learned" with several splits, or where
        delta is at most 0.01 and the median number of clusters at most 10, and else
        "holdout". With ``verbose``, the reason is printed.
    best_estimator_ : estimator
        The chosen clusterer, fitted on the rows in the order ``row_order_``. Its
        ``labels_`` are put back into the order of ``X``; other attributes with one
        entry per row are not. Only with ``refit``.
    classifier_ : ClusterLabelClassifier
        The chosen clusterer as a classifier, with the classes of ``transduction_``. Only
        with ``refit``.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row. Only with ``refit``.
    clusters_ : DataFrame
        The chosen clustering as a table with one row per cluster. ``size`` and
        ``n_unlabeled`` are numbers of rows, and ``class`` is the class of the cluster.
        ``named_by`` says why it has this class: "majority", "tie", "learned weights",
        "nearest labeled cluster", or "chance" where there are no distances.
        ``n_labels`` is the number of labels that determine the class (under hold-out
        those of the selecting rows), and ``n_labels_<class>`` that of each class.
        ``purity`` is the share of these labels that agree with the class, in [0, 1].
        Clusters of ``PrecomputedLabels`` also have a ``name``. Under hold-out,
        ``n_certifying`` and ``n_certifying_errors`` are the numbers of the other labels
        and of the errors among them. The table is descriptive; only the bound is
        certified. Only with ``refit``; requires pandas.
    classes_without_cluster_ : ndarray
        Classes that are not assigned to any cluster, so that all of their rows are
        labeled wrongly. Only with ``refit``.
    transduction_ : ndarray of shape (n_samples,)
        Class of each row. If ``y`` had unlabeled rows this is the certified labeling;
        if not, majority labels of all rows, which are not certified. Only with
        ``refit``.
    completed_y_ : ndarray of shape (n_samples,)
        ``y`` with its gaps filled: the given label where there is one, else the class in
        ``transduction_``. Only with ``refit``.
    confidence_ : ndarray of shape (n_samples,)
        How sure the class of each row is; higher is surer. It is ``0.5 * margin /
        rms(margins)`` minus the leave-one-out error rate of the row's cluster on the
        selecting rows. The margin is the distance to the mean of the nearest cluster of
        another class, minus the distance to the mean of its own. Only with
        ``certify="holdout"``, a certificate and ``refit``; it is descriptive.
    audit_ : Audit
        The certifying rows as an audit of the labeling, for
        :func:`~sklearn_pacmdl.audits.finish_labels` and
        :func:`~sklearn_pacmdl.audits.class_report`, with the selecting rows as rows whose
        labels were known. It is about ``split_transductions_[0]``, which is
        ``transduction_`` if ``y`` had unlabeled rows. Only where there is
        ``confidence_``: under other ways to certify, the labels that certify have chosen
        or named clusters, too.
    split_transductions_ : ndarray of shape (n_splits, n_samples)
        The labeling that follows from the labeled rows of each split, which is the one
        that ``certificates_`` certify. Only with ``refit``.
    splits_ : list of (ndarray, ndarray)
        Indices of the labeled and of the unlabeled rows of each split.
    divisions_ : list of (ndarray, ndarray)
        Indices of the labeled rows of each split that select (or set weights), and of
        those that certify.
    n_splits_ : int
        Number of splits.
    random_choice_test_ : RandomChoiceTest
        Whether the labeled rows look like a uniformly random choice, see
        :func:`~sklearn_pacmdl.certificates.random_choice_test`. If they do not, there
        is a warning, and the statement of the certificate ends by saying so. The test
        looks for equal numbers of labeled rows in all classes only if ``classes`` is
        given, and for groups that were labeled as a whole only if ``fit`` gets
        ``groups``. Only if ``y`` had unlabeled rows.
    row_order_ : ndarray of shape (n_samples,)
        Permutation in which the clusterers saw the rows.
    refit_time_ : float
        Seconds that the last fit took, or almost 0 where the fit of the sweep was kept.
        Only with ``refit``.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of features seen during ``fit``, where X has features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where X has string names.

    See Also
    --------
    ClusterLabelClassifier : One clustering as a classifier, without a search.
    sklearn_pacmdl.bounds.pac_mdl_bound : The bound itself.
    sklearn.model_selection.GridSearchCV : Search by scores on held-out rows.

    Notes
    -----
    The guarantee requires that the labeled rows are a uniformly random choice: not the
    first rows, not a stratified sample, not rows picked for being informative. This is
    tested with the positions of the labeled rows and a few of the clusterings, but a
    choice that passes the test may still not be random. The clusterers see the rows in a
    random order and without labels, so they cannot tell which rows are labeled. ``X`` and
    metadata (such as ``sample_weight``) must have been made without the labels, too. As
    a step of a Pipeline, a search receives rows that earlier steps may have transformed
    with the help of ``y``. So put the Pipeline into the search:
    ``PACMDLSearchCV(make_pipeline(StandardScaler(), KMeans()))``.

    Under ``certify="learned"`` and "holdout" the labeled rows are divided at random,
    before any label is looked at. What the first part chooses costs no bits: given that
    part, the other is a uniformly random choice of the remaining rows. The guarantee is
    over the random choice of the labeled rows and of their division. ``random_state``
    and the set of labeled rows together determine the division, so the guarantee holds
    for any fixed seed and any order of the rows, even for a file sorted by class. The
    seed itself must not be chosen by looking at results. With several splits "holdout"
    certifies nothing, since labels that certify on one split would choose on others.

    Only the unlabeled rows passed to ``fit`` are certified. Nothing is certified about
    ``predict`` on new rows, ``score``, a mean over splits, or the transduction from all
    labels. Several certificates hold together only with delta divided among them.

    The guarantee is for one search. Keeping the smallest bound of several seeds,
    targets or settings invalidates it, and so does labeling more rows until the bound
    is small enough. To make several attempts, fix the largest number k of searches in
    advance, and give each ``delta / k``. Then the best of them is as reliable as a
    single search.

    Candidates that differ only in the number of clusters share what their clusterer
    caches by its parameter ``memory``, if that is None. So scikit-learn's agglomerative
    clusterers, also at the end of a Pipeline, build one tree and cut it, with the same
    results as separate fits. If ``connectivity`` is given, scikit-learn by default
    builds another, shorter tree for each number that is at least 100 and a fiftieth of
    the rows; with ``compute_full_tree=True`` these share it too. Trees of a ``metric``
    that is a function are not shared. A ``connectivity`` that is a function is called
    for each candidate. To compute the graph once, pass the graph itself, which is
    permuted with the rows. Other clusterers can share work by the same convention:
    ``memory.cache(function)(...)`` with a function of a module that depends only on its
    arguments, which are arrays, numbers and text. Scikit-learn's BisectingKMeans and
    KMeans have no such parameter. Fits of BisectingKMeans with one random start share
    their bisections. KMeans fits of one start share their first centers, unless in a
    Pipeline or with several starts of their own. They do so if k-means++ tries the same
    number of rows for each center, as for 3 to 7 clusters, for 8 to 20, and for 21 to
    54. Processes that divide a sweep share nothing with one another. Where work is
    shared, the fits with the most clusters come first.

    The number of threads of a fit in one of ``n_jobs`` processes is the number of cores
    divided by ``n_jobs``, unless an environment variable such as ``OMP_NUM_THREADS``
    sets it. Rounding depends on the number of threads in the sums of k-means, mixtures
    and others, so their labels may differ, most often not at all, between searches with
    other numbers. Certificates are valid for any. For the same results with every
    ``n_jobs``, set ``OMP_NUM_THREADS`` to 1 before Python starts, or call ``fit``
    within ``threadpoolctl.threadpool_limits(1)`` and ``joblib.parallel_config("loky",
    inner_max_num_threads=1)``. With three threads or more, scikit-learn's KMeans adds
    up in the order in which they end, so that even equal fits may differ in rounding.

    The fits of a sweep are kept until one is chosen, if they can be pickled and are
    small. The limit for each is 16 MiB divided by the number of candidates, or 16 bytes
    per row if that is more. Otherwise the chosen clusterer is fitted again with the
    same seed and number of threads, which gives the same. A clusterer with randomness
    of its own, without a seed, gives another clustering; it is then counted and
    certified, with a warning. Fits are repeated, or taken from ``memory``, where there
    is a cache, and where there are callbacks.

    ``set_callbacks(sklearn.callback.ProgressBar())`` shows the progress; it requires
    scikit-learn 1.9, rich and, in a notebook, ipywidgets. Warnings of the clusterers and
    scorers are collected, and each is shown once with the number of candidates that
    issued it.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004.
    .. [2] A. Blum and J. Langford, "PAC-MDL Bounds", COLT 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> hidden = np.random.RandomState(0).permutation(150)[:75]
    >>> y_seen = y.copy()
    >>> y_seen[hidden] = -1
    >>> search = PACMDLSearchCV(
    ...     [("kmeans", KMeans()), ("ward", AgglomerativeClustering())],
    ...     n_clusters=range(2, 8),
    ...     n_init=5,
    ...     random_state=0,
    ... ).fit(X, y_seen)
    >>> search.best_algorithm_, int(search.cv_results_["n_clusters"][search.best_index_])
    ('kmeans', 3)
    >>> print(search.certificate_.statement)
    With probability at least 90% over the random choice of the 75 labeled rows, at \
most 22 of the 75 unlabeled rows (29.34%) are labeled wrongly, provided the labeled rows \
are a uniformly random choice and X was made without the labels.
    """

    audit_: Audit
    best_estimator_: Any
    classifier_: ClusterLabelClassifier
    confidence_: NDArray[np.floating]
    refit_time_: float

    _reasons: ClassVar[dict[str, Callable]] = (
        BaseSearch._reasons
        | dict.fromkeys(
            (
                "best_estimator_",
                "completed_y_",
                "refit_time_",
                "split_transductions_",
                "transduction_",
            ),
            no_refit,
        )
        | dict.fromkeys(CLUSTERS, no_clusters)
        | dict.fromkeys(("predict", "score"), no_prediction)
        | {"audit_": no_audit, "confidence_": no_confidence}
    )

    def __init__(
        self,
        estimator: Clusterers,
        param_grid: ParameterGrids = None,
        *,
        n_clusters: Numbers = None,
        n_init: int | Mapping[str, int] = 1,
        language: LanguageName | Language | None = None,
        delta: float = 0.1,
        certify: CertifyName = "auto",
        choose: Literal["bound", "errors"] = "bound",
        select_fraction: SelectFraction = "auto",
        classes: ArrayLike | None = None,
        cv: Any = None,
        scoring: Scoring = None,
        paper_bounds: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        error_score: Literal["raise"] | float = np.nan,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.param_grid = param_grid
        self.language = language
        self.delta = delta
        self.certify = certify
        self.choose = choose
        self.select_fraction = select_fraction
        self.classes = classes
        self.cv = cv
        self.scoring = scoring
        self.paper_bounds = paper_bounds
        self.refit = refit
        self.n_jobs = n_jobs
        self.pre_dispatch = pre_dispatch
        self.memory = memory
        self.random_state = random_state
        self.error_score = error_score
        self.verbose = verbose

    def _describe(self, plan, claims):
        if not self.refit or plan.objection is not None or self.n_splits_ > 1:
            return
        if plan.jobs[self.best_index_].learns:
            if hasattr(self.best_estimator_, "predict_proba"):
                job = plan.jobs[self.best_index_]
                self.confidence_ = probabilities(
                    job, plan.assessment, self.best_estimator_
                )
        elif self.certify_ == "holdout":
            classes = claims.of(self.best_index_)[0].option.classes
            self.confidence_ = row_confidence(
                plan, self.best_index_, self.labels_, classes
            )

    def _certify(self, plan, claims):
        super()._certify(plan, claims)
        if "confidence_" in vars(self) and self.certify_ == "holdout":
            labeling = self.split_transductions_[0]
            # Audits take texts such as "nan" for gaps, even where they are declared.
            with suppress(ValueError):
                self.audit_ = audit_of_search(
                    plan, labeling, self.confidence_, self.certificate_
                )

    def _label(self, plan, X, claims):
        """Give classes to the rows, for each split and from all labels."""
        by_split = self._row_codes(plan, claims)
        self.split_transductions_ = self.classes_[np.stack(by_split)]
        if "labels_" in vars(self):
            # Where no label is missing, all labels give the classes of transduction_,
            # about which there is no certificate.
            self._adopt_classifier(plan, X, None if plan.drawn else by_split[0])
        else:
            self.transduction_ = self.split_transductions_[0]
        codes = np.searchsorted(self.classes_, self.transduction_)
        self.completed_y_ = completed(plan.labels, self.transduction_, self.classes_)
        self._describe_clusters(plan, X, codes)

    def _adopt_classifier(self, plan, X, given):
        codes, seed = plan.assessment.codes, plan.assessment.seed
        self.classifier_ = ClusterLabelClassifier(
            self.best_estimator_, classes=self.classes, random_state=seed
        )._adopt(self.best_estimator_, X, self.labels_, self.classes_, codes, given)
        self.transduction_ = self.classifier_.transduction_

    def labels_needed(self, target: float, *, expected_error: float | None = None) -> int:
        """Estimate how many labels the chosen clustering needs for a smaller bound.

        The number is an estimate, and the bound that it leads to is not guaranteed. Fix
        the number of labels before you look at the next bound: adding labels until a
        bound is small enough invalidates the guarantee.

        Parameters
        ----------
        target : float
            Target bound on the error rate of the unlabeled rows, in (0, 1).
        expected_error : float, default=None
            Share of the rows of each cluster, in [0, 1), that are not of its class. By
            default these are the rates that were seen in each cluster, shrunk: one label
            more with the error rate of all labels is added to those of the cluster.

        Returns
        -------
        n_labeled : int
            Total number of labeled rows, including the present ones; at most the number
            of rows minus 1. It is the present number if the bound meets the target
            already.

        Raises
        ------
        ValueError
            If a parameter is not as described, or if ``certify`` is a way of your own.
            If no number of labels is expected to meet the target; the message says
            which bound they reach.
        AttributeError
            If there is not exactly one certificate, or ``refit`` was False.

        See Also
        --------
        plan_labels : The bounds to expect for given numbers of labels.
        sklearn_pacmdl.bounds.labels_needed : The same before any label is there.
        sklearn_pacmdl.audits.AuditMonitor : Stop as soon as labels are enough, at a price
            that is paid.

        Notes
        -----
        The plan is for the chosen clustering, its sizes and its way to certify. Another
        clustering may be chosen once there are more labels, often one of more clusters,
        so that fewer labels may be enough. Bounds vary with the rows that are labeled,
        and the plan may be off by several points where labels are few. It is not fitted
        to the present bound, so the result may be only one label more than you have.
        Numbers are looked at upward in steps of a quarter, and the last step is halved.
        """
        check_is_fitted(self)
        check_open_unit("target", target)
        plan = search_plan(self, expected_error)
        return plan.n_labeled if self.best_bound_ <= target else plan.needed(target)

    def plan_labels(
        self,
        n_labeled: ArrayLike | None = None,
        *,
        expected_error: float | None = None,
    ) -> "pd.DataFrame":
        """Estimate the bounds of the chosen clustering with other labels or other ways.

        Estimates and not guarantees. With an ``expected_error`` that was fixed
        beforehand, they depend on the sizes of clusters alone. But the clustering was
        chosen by its labels, so do not choose the way to certify the same rows by this
        table: no bound accounts for such a choice.

        Parameters
        ----------
        n_labeled : int or array-like of int, default=None
            Numbers of labeled rows in all, from 0 to the number of rows minus 1. By
            default the number that there is.
        expected_error : float, default=None
            As in :meth:`labels_needed`.

        Returns
        -------
        bounds : DataFrame
            A row for each number of labels and a column for each kind of certificate,
            the one in use first: "decoupled", "learned" and "holdout", and "pac-mdl" if
            classes cost bits. Rates of the unlabeled rows in [0, 1]; lower is better.
            Requires pandas.

        Raises
        ------
        ValueError, AttributeError
            As in :meth:`labels_needed`.

        See Also
        --------
        labels_needed : The number of labels for a target.
        """
        check_is_fitted(self)
        plan = search_plan(self, expected_error)
        return as_frame(plan.table(n_labeled), index="n_labeled")

    @available_if(_can_predict)
    def predict(self, X: ArrayLike) -> NDArray:
        """Predict the class of each row: that of the cluster predicted for it.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows. The certificate does not cover them. It does not cover predictions
            for rows of ``fit`` either, since some clusterers, such as
            FrequencySensitiveKMeans, predict clusters other than ``labels_``. The
            certified classes are in ``transduction_``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class of each row.

        Raises
        ------
        AttributeError
            If the chosen clusterer has no ``predict``, or ``refit`` was False.
        """
        check_is_fitted(self)
        if "labels_" in vars(self):
            return self.classifier_.predict(X)
        return self.classes_[self._targets_.decoded(self.best_estimator_.predict(X))]

    @available_if(_can_predict)
    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Compute the accuracy of :meth:`predict`, which is not certified.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their true labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the mean.

        Returns
        -------
        accuracy : float
            In [0, 1]; higher is better.
        """
        return super().score(X, y, sample_weight)
