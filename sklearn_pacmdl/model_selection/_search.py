"""The sweep: validate, enumerate, cluster, count, bound, select."""

import time
import warnings
from copy import copy

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..bounds import BoundCertificate
from ..labeling import ClusterLabelClassifier
from ..utils._sklearn import (
    BaseComposition,
    check_X,
    computing_dtype,
    input_tags,
    visual_block,
)
from ._candidates import check_clusterers, named_estimators
from ._evaluation import (
    Failure,
    Outcome,
    count,
    digest,
    evaluate,
    fit_candidate,
    label_split,
    tie_breaker,
)
from ._plan import Plan, router_name
from ._results import best_candidate, results_table


def _can_predict(self):
    """Whether the chosen clusterer, or before ``fit`` any of them, has ``predict``."""
    if hasattr(self, "best_estimator_"):
        return hasattr(self.best_estimator_, "predict")
    return any(hasattr(est, "predict") for _, est in named_estimators(self.estimator))


def _is_well_formed(self):
    try:
        check_clusterers(self.estimator)
    except (TypeError, ValueError) as error:
        raise AttributeError(str(error)) from error
    return True


class PACMDLSearchCV(
    CallbackSupportMixin, ClassifierMixin, MetaEstimatorMixin, BaseComposition
):
    """Choice of a clustering by the PAC-MDL bound on the errors it implies.

    Sweeps clusterers, numbers of clusters, random starts and parameters. Every
    clustering is turned into a classifier (each cluster gets its most common label) and
    the number of its errors on the rows *without* label is bounded by the PAC-MDL
    theorem [1]_; the clustering with the smallest bound wins. What is chosen by looking
    at labels is paid for in bits, so the bound of the winner is a guarantee.

    Parameters
    ----------
    estimator : clusterer or list of (str, clusterer)
        Anything with ``fit_predict``, or Pipelines that end in such.
    n_clusters : int, array-like of int or dict, default=None
        Numbers of clusters to try, for the parameter ``n_clusters`` (or
        ``n_components``) of the clusterers that have it. A dict holds them by name of
        the clusterer. By default each clusterer keeps its own.
    n_init : int or dict, default=1
        Random starts to try of every clusterer that has a ``random_state``, each with
        its own seed; others run once. A clusterer's own ``n_init``, by which it keeps
        the best of several by its own objective, is left as it is and costs no bits.
    param_grid : dict or list of dict, default=None
        Further parameters to try, as in :class:`~sklearn.model_selection.ParameterGrid`.
        With several clusterers the keys are ``name__parameter``.
    language : {"auto", "simple", "init", "cluster", "algo"} or object, default="auto"
        What is paid for the choice, see :mod:`sklearn_pacmdl.languages`. "auto" pays
        for exactly what is swept; the others are those of [1]_ and refuse a sweep that
        they do not pay for.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    classes : array-like, default=None
        All classes that rows may have, if they are known beforehand. By default those
        of ``y``; if ``y`` has unlabelled rows, the guarantee then assumes that they
        were known.
    cv : int, splitter or None, default=None
        For a fully labelled ``y``: how rows are split into labelled and unlabelled. An
        int means that many random halvings; None means one. Splits that are not
        uniformly random give scores without certificates. Must be None if ``y`` has
        unlabelled rows.
    scoring : str, callable, list of str or dict, default=None
        Further scorers to record beside the bound, in ``score_<name>`` ("score" for a
        single one). The scorers of metrics compare clusters with labels on the
        labelled rows; other callables get ``(fitted clusterer, X, y)`` with all rows,
        in the permuted order.
    refit : bool, default=True
        Whether to fit the chosen clusterer again, which the attributes about rows need.
    n_jobs : int, default=None
        Candidates fitted at once. Every fit uses one thread; the results are the same
        for any number.
    pre_dispatch : int or str, default="2*n_jobs"
        As in :class:`joblib.Parallel`.
    memory : str or joblib.Memory, default=None
        Where to keep finished clusterings: a sweep that is interrupted, or repeated
        with more candidates or other labels, does not compute them again. It takes an
        int as ``random_state``: without, rows are in another order each time.
    random_state : int, RandomState instance or None, default=None
        For the row permutation, the splits, the starts, and ties between classes.
    error_score : "raise" or float, default=np.nan
        Bound of a candidate that raises; there is one warning for all of them.
    verbose : int, default=0
        As in :class:`joblib.Parallel`. For progress see Notes.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray
        One entry per candidate, to be read as a DataFrame. ``algorithm``,
        ``n_clusters`` (asked for), ``n_clusters_found``, ``init``, ``params``,
        ``param_*``; ``<term>_bits`` for label, init, n_clusters, algorithm and grid,
        and their sum ``description_length``; ``fit_time`` in seconds; ``score_*``. Per
        split and as a mean over splits: ``train_errors`` (a count), ``test_bound`` (the
        bound in force, a rate in [0, 1], lower is better), ``simple_bound``,
        ``init_bound``, ``cluster_bound``, ``algo_bound`` (what each of the paper's
        languages would give; a guarantee only for a choice that it pays for),
        ``test_error`` (rate on the hidden rows, NaN where unknown) and
        ``constant_error`` (rate of the best constant classifier). ``rank_test_bound``
        ranks the mean, 1 for the best.
    best_index_ : int
        Candidate with the smallest mean bound; among equals the shortest description.
    best_params_ : dict
        Its parameters, seeds included.
    best_algorithm_ : str
        Name of its clusterer.
    best_mean_bound_ : float
        Mean of its bounds over the splits. Describes; certifies only if there is one.
    best_bound_ : float
        Its certified bound, a rate in [0, 1]. Only if there is exactly one certificate.
    certificate_ : BoundCertificate
        The only certificate, if there is exactly one.
    certificates_ : list of BoundCertificate
        One for each split, each valid by itself; empty if the splits allow none.
    best_estimator_ : estimator
        The chosen clusterer, fitted on the rows in the order ``row_order_``. Its
        ``labels_`` are put back into the order of ``X``; other attributes with one
        entry per row are not. Only with ``refit``.
    classifier_ : ClusterLabelClassifier
        The classifier made of it and of all labels. Only with ``refit``.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row. Only with ``refit``.
    transduction_ : ndarray of shape (n_samples,)
        Class of each row, from all labels. If ``y`` had unlabelled rows this is the
        certified labeling; if not, it is not certified. Only with ``refit``.
    split_transductions_ : ndarray of shape (n_splits, n_samples)
        The labeling that each split's labelled rows give: what ``certificates_``
        certify. Only with ``refit``.
    splits_ : list of (ndarray, ndarray)
        Row indices of the labelled and the unlabelled of each split.
    n_splits_ : int
        Number of splits.
    row_order_ : ndarray of shape (n_samples,)
        Permutation in which the clusterers saw the rows.
    refit_time_ : float
        Seconds. Only with ``refit``.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    n_features_in_ : int
        Number of features seen during ``fit``, where X has features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has string names.

    See Also
    --------
    ClusterLabelClassifier : One clustering as a classifier, without a search.
    sklearn_pacmdl.bounds.pac_mdl_bound : The bound itself.
    sklearn.model_selection.GridSearchCV : Search by scores on held-out rows.

    Notes
    -----
    The guarantee needs that the labelled rows are a uniformly random choice: not the
    first rows, not a stratified sample, not rows picked for being informative. The
    clusterers see the rows in a random order and no label, so that neither can tell
    which rows are labelled. Metadata (such as ``sample_weight``) must not tell it either.

    Certified are the unlabelled rows of ``fit``. ``predict`` on new rows, ``score``,
    a mean over splits, the transduction from all labels: nothing is certified of these.
    Several certificates hold together only with delta divided among them.

    Progress is shown through ``set_callbacks(sklearn.callback.ProgressBar())``.

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
    ('ward', 3)
    >>> print(search.certificate_.statement)
    With probability at least 90% over the random choice of the 75 labelled rows, at \
most 21 of the 75 unlabelled rows (28.00%) are labelled wrongly, provided the 3 classes \
were known beforehand.
    """

    def __init__(
        self,
        estimator,
        *,
        n_clusters=None,
        n_init=1,
        param_grid=None,
        language="auto",
        delta=0.1,
        classes=None,
        cv=None,
        scoring=None,
        refit=True,
        n_jobs=None,
        pre_dispatch="2*n_jobs",
        memory=None,
        random_state=None,
        error_score=np.nan,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.param_grid = param_grid
        self.language = language
        self.delta = delta
        self.classes = classes
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.n_jobs = n_jobs
        self.pre_dispatch = pre_dispatch
        self.memory = memory
        self.random_state = random_state
        self.error_score = error_score
        self.verbose = verbose

    @with_callbacks
    def fit(self, X, y, **params):
        """Run the sweep and choose.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            All rows, labelled and unlabelled; or of shape (n_samples, n_samples) where
            the clusterers take precomputed distances or affinities.
        y : array-like of shape (n_samples,)
            Labels. -1, or a missing value (None, NaN, NA), marks an unlabelled row.
        **params : dict
            Metadata, routed to the clusterers' ``fit_predict`` and the splitter where
            metadata routing is enabled. Must not depend on labels or on which rows are
            labelled.

        Returns
        -------
        self : object
            Itself.

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data are not as described, before any clustering
            starts; or if all candidates fail.
        """
        self._check_parameters()
        blank = copy(self)  # what an earlier fit found stays until there is news
        blank._forget()
        X = check_X(blank, X, [est for _, est in named_estimators(self.estimator)])
        plan = Plan(self, X, y, params)
        if plan.objection is not None:
            warnings.warn(plan.objection, UserWarning, stacklevel=3)
        context = self._init_callback_context(max_subtasks=1 + self.refit)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        outcomes = blank._sweep(plan, context)
        self._forget()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(blank, name):
                setattr(self, name, getattr(blank, name))
        self._store(plan, outcomes)
        best = outcomes[self.best_index_]
        if self.refit:
            best = self._refit(plan, X, best, context)
        self._certify(plan, best)
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _pairs(self):
        """Named clusterers; none where ``estimator`` is no such thing, until ``fit``."""
        try:
            return named_estimators(self.estimator)
        except ValueError:
            return []

    def _check_parameters(self):
        check_clusterers(self.estimator)
        if isinstance(self.estimator, list | tuple):
            names, _ = zip(*named_estimators(self.estimator), strict=True)
            self._validate_names(names)
        if not isinstance(self.delta, float | np.floating) or not 0 < self.delta < 1:
            raise ValueError(
                f"delta must be in the open interval (0, 1), got {self.delta!r}."
            )
        if not isinstance(self.refit, bool | np.bool_):
            raise ValueError(f"refit must be True or False, got {self.refit!r}.")
        if self.error_score != "raise" and not isinstance(
            self.error_score, int | float | np.number
        ):
            raise ValueError(
                f"error_score must be 'raise' or a number, got {self.error_score!r}."
            )

    def _forget(self):
        """Drop the attributes of an earlier fit: not all are set by every fit."""
        for name in [v for v in vars(self) if v.endswith("_")]:
            delattr(self, name)

    def _sweep(self, plan, context):
        """Evaluate all candidates; those that fail are reported together."""
        n_candidates = len(plan.candidates)
        if self.verbose > 0:
            print(
                f"Fitting {n_candidates} candidates once each and counting on "
                f"{len(plan.task.splits)} splits"
            )
        sweep = context.subcontext(
            task_name="sweep", max_subtasks=n_candidates, sequential_subtasks=False
        )
        sweep.call_on_fit_task_begin(estimator=self)
        # Made beforehand: contexts hang on their parent, which is being pickled.
        contexts = [
            sweep.subcontext(task_name="candidate", task_id=i)
            for i in range(n_candidates)
        ]
        parallel = Parallel(
            n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch, verbose=self.verbose
        )
        outcomes = parallel(
            delayed(evaluate)(
                *plan.inputs(i), plan.task, i, self.error_score, self, contexts[i]
            )
            for i in range(n_candidates)
        )
        sweep.call_on_fit_task_end(estimator=self)
        _report_failures(plan, outcomes, self.error_score)
        return outcomes

    def _store(self, plan, outcomes):
        task = plan.task
        self.classes_ = plan.classes
        self.splits_, self.n_splits_ = list(task.splits), len(task.splits)
        self.row_order_ = task.order
        self.cv_results_ = results_table(
            plan.candidates,
            [plan.params(i) for i in range(len(plan.candidates))],
            plan.grid_keys(),
            plan.weights,
            outcomes,
            task,
            self.delta,
            self.error_score,
        )
        self.best_index_ = best_candidate(self.cv_results_)
        self.best_params_ = plan.params(self.best_index_)
        self.best_algorithm_ = plan.candidates[self.best_index_].algorithm
        self.best_mean_bound_ = float(
            self.cv_results_["mean_test_bound"][self.best_index_]
        )

    def _refit(self, plan, X, outcome, context):
        """Fit the chosen candidate again and count what that fit gives.

        The counts of the sweep and of this fit are of the same partition, unless the
        clusterer draws on randomness that has no seed. Then those of this fit are the
        ones to certify: its partition is just as independent of the labels.
        """
        index, task = self.best_index_, plan.task
        start = time.perf_counter()
        refit = context.subcontext(task_name="refit")
        estimator, swept, X_permuted, fit_params = plan.inputs(index)
        labels, _, self.best_estimator_ = fit_candidate(
            estimator, swept, X_permuted, fit_params, task, self, refit, keep=True
        )
        self.refit_time_ = time.perf_counter() - start
        if digest(labels) != outcome.digest:
            warnings.warn(
                f"{self.best_algorithm_!r} gave another clustering when it was fitted "
                "again with the same seed; the certificates are about the last one, and "
                "may differ from cv_results_.",
                UserWarning,
                stacklevel=4,
            )
            outcome = count(labels, task, index, self.refit_time_, {})
        _restore_labels(self.best_estimator_, labels)
        self.labels_ = labels
        self.split_transductions_ = np.stack(
            [
                self.classes_[label_split(labels, task, index, split).codes]
                for split in range(self.n_splits_)
            ]
        )
        self.classifier_ = ClusterLabelClassifier(
            self.best_estimator_, classes=self.classes
        )
        # The seed of the first split: the same ties, where all labels are its labels.
        self.classifier_._adopt(
            self.best_estimator_,
            labels,
            self.classes_,
            task.codes,
            tie_breaker(task, index, 0),
            computing_dtype(X),
        )
        self.transduction_ = self.classifier_.transduction_
        return outcome

    def _certify(self, plan, outcome):
        self.certificates_ = []
        if plan.objection is not None:
            return
        weights = plan.weights[self.best_index_]
        for split, (train, test) in enumerate(self.splits_):
            self.certificates_.append(
                BoundCertificate.from_counts(
                    len(train),
                    len(test),
                    int(outcome.train_errors[split]),
                    weights={"label": outcome.label_weights[split]} | weights,
                    delta=self.delta,
                    provisos=self._provisos(plan),
                    subject=self._subject(plan, outcome, split),
                )
            )
        if len(self.certificates_) == 1:
            (self.certificate_,) = self.certificates_
            self.best_bound_ = self.certificate_.bound

    def _provisos(self, plan):
        if self.classes is None and np.any(plan.task.codes < 0):
            return (f"the {len(self.classes_)} classes were known beforehand",)
        return ()

    def _subject(self, plan, outcome, split):
        """What a certificate is about, in JSON's terms."""
        candidate = plan.candidates[self.best_index_]
        language = self.language
        subject = {
            "algorithm": candidate.algorithm,
            "n_clusters": candidate.n_clusters,
            "n_clusters_found": outcome.n_clusters,
            "init": candidate.init,
            "params": {k: repr(v) for k, v in self.best_params_.items()},
            "n_classes": len(self.classes_),
            "n_candidates": len(plan.candidates),
            "language": language if isinstance(language, str) else repr(language),
        }
        return subject | ({"split": split} if self.n_splits_ > 1 else {})

    @available_if(_can_predict)
    def predict(self, X):
        """Class of the cluster that the chosen clusterer predicts for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows. The certificate is not about them.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes.

        Raises
        ------
        AttributeError
            If the chosen clusterer has no ``predict``, or ``refit`` was False.
        """
        check_is_fitted(self)
        if not hasattr(self, "classifier_"):
            raise AttributeError("predict needs refit=True.")
        return self.classifier_.predict(X)

    @available_if(_can_predict)
    def score(self, X, y):
        """Accuracy of :meth:`predict`; nothing is certified about it.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their true labels.

        Returns
        -------
        accuracy : float
            In [0, 1]; higher is better.
        """
        return super().score(X, y)

    def get_params(self, deep=True):
        """Parameters of the search, and with ``deep`` of its clusterers.

        Parameters
        ----------
        deep : bool, default=True
            Whether to name those of the clusterers too.

        Returns
        -------
        params : dict
            With several clusterers the nested names are ``name__parameter``.
        """
        if isinstance(self.estimator, list | tuple):
            return self._get_params("estimator", deep=deep)
        return super().get_params(deep=deep)

    def set_params(self, **params):
        """Set parameters of the search or of its clusterers.

        Parameters
        ----------
        **params : dict
            As named by :meth:`get_params`; a clusterer of a list can be replaced under
            its name.

        Returns
        -------
        self : object
            Itself.
        """
        return self._set_params("estimator", **params)

    def get_metadata_routing(self):
        """Routing of metadata to the clusterers and the splitter.

        Returns
        -------
        routing : MetadataRouter
            What is routed where.
        """
        router = MetadataRouter(owner=self)
        to_fit = MethodMapping().add(caller="fit", callee="fit_predict")
        several = isinstance(self.estimator, list | tuple)
        for name, estimator in named_estimators(self.estimator):
            router.add(**{router_name(name, several): estimator}, method_mapping=to_fit)
        if hasattr(self.cv, "get_metadata_routing"):
            router.add(
                cv=self.cv,
                method_mapping=MethodMapping().add(caller="fit", callee="split"),
            )
        return router

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [input_tags(est) for _, est in self._pairs()]
        tags.input_tags.sparse = any(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        tags.input_tags.pairwise = any(tag.pairwise for tag in inner)
        return tags

    @available_if(_is_well_formed)
    def _sk_visual_block_(self):
        names, estimators = zip(*named_estimators(self.estimator), strict=True)
        return visual_block(estimators, names)


def _restore_labels(estimator, labels):
    """Put ``labels_`` of a clusterer, or of the last step of a Pipeline, in X's order."""
    final = estimator
    while hasattr(final, "steps"):
        final = final.steps[-1][1]
    if np.shape(vars(final).get("labels_")) == labels.shape:
        final.labels_ = labels


def _report_failures(plan, outcomes, error_score):
    failures = {i: o for i, o in enumerate(outcomes) if isinstance(o, Failure)}
    first = next(iter(failures.values()), Failure("", ""))
    if len(failures) == len(outcomes):
        raise ValueError(
            f"All {len(outcomes)} candidates failed, the first with {first.cause}\n\n"
            f"{first.details}"
        )
    if failures:
        names = ", ".join(_describe(plan, i) for i in list(failures)[:10])
        more = "" if len(failures) <= 10 else f" and {len(failures) - 10} more"
        warnings.warn(
            f"{len(failures)} of {len(outcomes)} candidates failed and have bound "
            f"{error_score}: {names}{more}. The first with {first.cause}\n\n"
            f"{first.details}",
            FitFailedWarning,
            stacklevel=5,
        )
    failed_scores = {
        name: value
        for outcome in outcomes
        if isinstance(outcome, Outcome)
        for name, value in outcome.scores.items()
        if isinstance(value, Failure)
    }
    for name, failure in failed_scores.items():
        warnings.warn(
            f"Scorer {name!r} failed and is recorded as nan, once with {failure.cause}"
            f"\n\n{failure.details}",
            UserWarning,
            stacklevel=5,
        )


def _describe(plan, index):
    params = ", ".join(f"{k}={v!r}" for k, v in plan.params(index).items())
    return f"{plan.candidates[index].algorithm} ({params})"
