"""The search for a clustering, chosen and certified by its bound."""

from __future__ import annotations  # short signatures: names of types

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..audits import Audit
from ..bounds import SELECTING_SHARE, LabelPlan, SimulatedClusters
from ..certificates import BoundCertificate, caveats_of, with_caveats
from ..certification import (
    Certify,
    Noise,
    Scoring,
    Sweep,
    bound,
    make_goal,
    named_scorers,
    rank,
    resolve,
    scorer_routing,
)
from ..estimators import (
    BaseComposition,
    CallbackSupportMixin,
    DocumentedEstimator,
    check_X,
    import_containers,
    inherited_input_tags,
    last_step,
    restored_on_failure,
    visual_block,
    with_callbacks,
)
from ..labeling import ClusterLabelClassifier, score
from ..languages import Language, LanguageName
from ..random_choice import RandomChoiceTest
from ..reports import ReportMixin, search_report
from ..utils._checks import check_flag, check_n_jobs, check_open_unit, invalid, warn
from ..utils._printable import escaped
from ..utils._row_order import check_same_order
from ..utils._words import AFTER_A_LOOK, as_frame, chosen_in_words, rate_in_percent
from ._default_candidates import DEFAULT_LIST
from ._evaluation import (
    Progress,
    announced,
    costly_first,
    evaluate_together,
    report_edge,
    report_sweep,
)
from ._last_fit import LastFit, last_fit
from ._plan import check_clusterers, is_list, learns, make_plan, named_estimators
from ._results import EXPLAINED, result_of
from ._shared import SharedResults

if TYPE_CHECKING:
    import pandas as pd

# Types of the parameters of searches.
Clusterers = Any | Sequence[tuple[str, Any]]
Numbers = Literal["auto"] | int | Iterable[int] | None
NumbersByName = Numbers | Mapping[str, Numbers]
ParameterGrids = Mapping[str, Sequence] | Iterable[Mapping[str, Any]] | None

# Labels for each class below which a search says what would help. With nine of each digit
# the default certifies 20% on average, and with four 46% (doc/measurements.md).
_FEW_OF_A_CLASS = 10
_UNFITTED = "fit sets it, and has not been called yet."
# What others call something that a search has by another name.
_CALLED_OTHERWISE = {
    "best_score_": "see best_bound_, of which lower is better, or cv_results_.",
    "predict_proba": "see confidence_, which says how sure the classes of rows are.",
    "fit_predict": "fit sets transduction_, the class of each row.",
}


def _why_no_prediction(search):
    """Why there is no ``predict``; empty if there is."""
    is_fitted = hasattr(search, "cv_results_")
    if not search.refit or (is_fitted and not hasattr(search, "best_estimator_")):
        return "the chosen clusterer is not kept with refit=False; fit with refit=True."
    if not is_fitted:
        some = any(hasattr(e, "predict") for _, e in named_estimators(search.estimator))
        return "" if some else "no clusterer of the search has predict."
    chosen = search.best_algorithm_
    if not hasattr(search.best_estimator_, "predict"):
        return (
            f"the chosen clusterer, {chosen!r}, has no predict; transduction_ holds the "
            "classes of the rows that were passed to fit."
        )
    if not hasattr(search, "classifier_") and search._targets_ is None:
        return (
            f"the chosen {chosen!r} is a classifier, and how sure it is of a row decides "
            "whether the row is left out; best_estimator_ predicts a class for each row."
        )
    return ""


def _can_predict(search):
    """Whether the chosen clusterer, or before ``fit`` any of them, has ``predict``."""
    return not _why_no_prediction(search)


def _is_well_formed(self):
    if self.estimator is None:  # its candidates are known with the rows
        return False
    try:
        check_clusterers(self.estimator)
    except (TypeError, ValueError) as error:
        raise AttributeError(str(error)) from error
    return True


class PACMDLSearchCV(
    DocumentedEstimator,
    ClassifierMixin,
    ReportMixin,
    CallbackSupportMixin,
    MetaEstimatorMixin,
    BaseComposition,
):
    """Search for a clustering, with a PAC-MDL bound on its labeling errors.

    Each cluster of every candidate gets a class, mostly its most common label. The
    PAC-MDL theorem [2]_ bounds the errors on the rows *without* a label, for all
    candidates at once. So the bound is a guarantee for the clustering that is chosen.

    Parameters
    ----------
    estimator : estimator, list of (str, estimator) or None, default=None
        Clusterers, or Pipelines of one without a step that needs labels; classifiers are
        fitted to the selecting labels. None: :func:`.default_candidates` of ``X``.
    param_grid : dict, list of dict, ParameterGrid or ParameterSampler, default=None
        More parameters to try, also numbers of clusters. Of several: ``name__parameter``.
    n_clusters : "auto", int, array-like of shape (n_numbers,) of int, dict or None, \
default="auto"
        Numbers of clusters to try, as ``n_clusters`` or ``n_components`` of clusterers; a
        dict has them by name. "auto" means up to 20 numbers from 2 to 200, which depend
        on the size of ``X`` alone, and the clusterer's number (see Notes); None, just the
        clusterer's number. So many fits are made for each start and point of the grid.
    n_init : int or dict, default=1
        Number of random starts, each with a seed, where there is a ``random_state``.
    language : {"simple", "init", "cluster", "algo"} or Language, default=None
        How many bits the choice of each candidate costs: one of the languages of [1]_; by
        default :class:`~sklearn_pacmdl.languages.Prior`. None with "holdout".
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    certify : {"auto", "learned", "pac-mdl", "holdout"} or object, default="auto"
        How the labeled rows are used: a name, or an object such as ``Learned(0.4)``.

        - "learned": a random part of them (60%) sets a prior over candidates and names of
          clusters. The rest chooses, and certifies all at once; mostly the tightest.
        - "pac-mdl": the criterion of [1]_: all labels certify, and the choice and the
          names cost bits. ``cv_results_`` also has the bounds under the languages of
          [1]_, as ``mean_<language>_bound``, unless rows may be left out.
        - "holdout": a random part chooses one clustering and its names, and the rest
          certifies just that; tighter by tenths of a percentage point.
        - "auto": "learned", or "pac-mdl" for up to three labels, which leaves out
          classifiers with a warning.
    choose : {"bound", "errors"}, default="bound"
        Choose the smallest bound, or the lowest estimated error by all labels, which then
        name the clusters, too: better labels, a larger bound. Not with "holdout".
    target : float, default=None
        Error rate, in (0, 1), that the bound may have at most. As many unlabeled rows as
        possible are then given a class, and the others are left out (see Notes).
    noise : {"cluster", "abstain"}, default="cluster"
        Treat noise (-1) as one more cluster, or as rows without a class, which are not
        certified. Candidates are then ranked by the share of unlabeled rows that either
        have no class or may be wrong.
    classes : array-like of shape (n_classes,), default=None
        All classes that rows may have, if they are known in advance; by default those in
        ``y``. With unlabeled rows, "pac-mdl" then assumes that these were known.
    cv : int, splitter or None, default=None
        How rows are split into labeled and unlabeled ones if all of ``y`` is labeled: an
        int is a number of random halvings, None means one.
    scoring : str, callable, list of str or dict, default=None
        Further scorers to record; they certify nothing. Metrics of classes compare
        certifying labels with the classes by the other labels, see
        :func:`~sklearn_pacmdl.metrics.make_labeling_scorer`; those of clusterings compare
        clusters with all labels. Others get ``(fitted clusterer, X, y)``, permuted.
    refit : bool, default=True
        Whether to provide the chosen clusterer, fitted, and the attributes about rows.
    n_jobs, pre_dispatch : int or None, int or str
        Numbers of parallel fits and of tasks dispatched, as in :class:`joblib.Parallel`.
    memory : str or joblib.Memory, default=None
        Where to keep finished clusterings, which requires an integer ``random_state``. It
        holds pickles, so share it only with people you trust, and empty it when you
        change the code of a clusterer.
    random_state : int, RandomState instance or None, default=None
        Determines the row permutation, splits, divisions of the labeled rows, random
        starts and ties. Fix it before looking at results.
    error_score : "raise" or float, default=np.nan
        Bound, in [0, 1] or NaN, of a candidate whose fit fails; "raise" raises the error.
    verbose : int, default=0
        With 1, a line every few seconds says how many candidates are done, which has the
        fewest errors so far, and how long the others may take. Above, it is also the
        verbosity of :class:`joblib.Parallel`, plus 1.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray of shape (n_candidates,)
        One row for each candidate, to be read as a DataFrame. Rates are in [0, 1], and
        lower is better. With several splits, ``mean_`` is a mean over splits, and there
        are also ``split0_``, ``split1_`` and so on, and ``std_test_bound``.

        - ``algorithm``, ``params``, ``param_<name>``: the name of the clusterer, and its
          parameters, seeds included.
        - ``n_clusters``, ``n_clusters_found``: the number of clusters that was requested,
          and the number that there are, noise included. Masked where there is none.
        - ``init``, ``largest_cluster``: random start; share of rows in its largest one.
        - ``rank_<column>``, ``ranking_value``: the rank by the column in ``ranked_by_``,
          1 for the best, and the value. Of equal ones the shorter description is first.
        - ``mean_test_bound``: the bound on the error rate of the unlabeled rows that are
          given a class. "learned" and "pac-mdl" bound all candidates, "holdout" the
          chosen one. NaN where there is none, or no unlabeled row is given a class, and
          ``error_score`` where the fit failed.
        - ``mean_n_certifying_errors``: the number of errors on the certifying rows.
        - ``mean_certifying_error``: with "learned", their share. It estimates the error
          rate, but the smallest of many such estimates is too low.
        - ``mean_test_error``: the error rate of the unlabeled rows if ``y`` was complete.
        - ``mean_selection_error``: the error rate expected from the selecting labels, see
          :doc:`/certificates`. "holdout" chooses algorithm, parameters and number of
          clusters by its mean over random starts, and then the best start.
        - ``errors by``: if there are classifiers, how that was estimated.
        - ``mean_estimated_error``: with ``choose="errors"``, the same from all labels.
        - ``description_length``, ``bits``: bits that the candidate and the names of its
          clusters cost, and a dict of these by term.
        - ``fit_time``: seconds. The first of the candidates that share a tree builds it.
        - ``score``, ``score_<name>``: the scores of ``scoring``.
        - ``mean_<language>_bound``: with "pac-mdl", bounds under the languages of [1]_.
          Each holds only for a choice that its language describes, and may be NaN.
        - ``mean_coverage``, ``mean_expected_coverage``: the share of the unlabeled rows
          that is given a class, and with a target also the share expected from the
          selecting labels. Higher is better.
        - ``mean_uncertified``: with ``noise="abstain"``, the share of the unlabeled rows
          that have no class or may be wrong.
    clusters_ : DataFrame
        One row for each cluster of the chosen candidate. It describes, and certifies
        nothing.

        - ``size``, ``n_unlabeled``: the number of rows, and of those without a label.
        - ``class``: the class of the cluster.
        - ``named_by``: "majority", "tie", "learned weights" (another class has more
          labels but costs more bits; ``choose="errors"`` takes it), "nearest labeled
          cluster", "chance" where there are no distances, or "left out".
        - ``n_labels``, ``n_labels_<class>``, ``purity``: the number of labels that name
          the cluster, by class, and the share of them that agree with its class.
        - ``n_certifying``, ``n_certifying_errors``: with "holdout", the number of
          certifying labels and of errors among them.
    ranked_by_, best_index_, best_params_, best_algorithm_, best_estimator_ : object
        Column that candidates are ranked by, and the row, the parameters, the name and
        the fitted clusterer of the chosen one.
    certificate_, best_bound_ : BoundCertificate, float
        The guarantee, and its bound on the error rate of the unlabeled rows that have a
        class, in [0, 1]. Only if there is exactly one certificate.
    certificates_, best_mean_bound_ : list of BoundCertificate, float
        The certificate of each split, and the mean of their bounds, which is descriptive.
    split_transductions_ : ndarray of shape (n_splits, n_samples)
        The certified labeling of each split.
    certify_ : str
        The method that was used: ``certify``, or what "auto" stands for.
    transduction_, completed_y_ : ndarray of shape (n_samples,)
        Class of each row, certified if ``y`` had unlabeled rows, and ``y`` with its gaps
        filled by these. No class is -1, or None if the classes are not integers.
    coverage_, coverage_curve_ : float, dict of str to ndarray of shape (n_sets,)
        Share of the unlabeled rows that are given a class, in [0, 1]. With a target, also
        ``coverage``, ``bound`` and ``test_error`` (NaN where unknown) at other targets;
        all bounds hold at once.
    labels_, classifier_ : ndarray of shape (n_samples,), ClusterLabelClassifier
        Cluster of each row; and the chosen clusterer as a classifier.
    classes_, classes_without_cluster_ : ndarray of shape (n_classes,), (n_without,)
        The classes, and the classes without a cluster.
    audit_, confidence_ : Audit, ndarray of shape (n_samples,)
        With "holdout": the certifying rows as an audit, and how sure the class of each
        row is, for :func:`~sklearn_pacmdl.audits.finish_labels` (higher is surer, see
        :doc:`/people`). With "learned", chosen classifiers with ``predict_proba`` have
        ``confidence_``, too.
    splits_, divisions_ : list of (ndarray, ndarray)
        Labeled and unlabeled rows of each split; and labeled rows that select or certify.
    random_choice_test_ : RandomChoiceTest
        Whether the labeled rows look like a uniformly random choice.
    constant_error_, n_splits_, refit_time_ : float, int, float
        Error rate of the best constant classifier, in [0, 1], number of splits, and
        seconds of the last fit.
    row_order_ : ndarray of shape (n_samples,)
        Permutation in which clusterers see the rows.

    See Also
    --------
    certify_clusterings : The same for clusterings that exist already.
    CoverageDisplay : Figure of the coverage curve of a search with a target.

    Notes
    -----
    The labeled rows must be a uniformly random choice, and ``X`` and metadata must have
    been made without the labels. Only the unlabeled rows of ``fit`` are certified, and
    not ``predict``, ``score`` or a mean over splits.

    One list with everything that you might try costs little. Fix the candidates, settings
    and seeds of all k attempts before the first result, and give each ``delta / k``. A
    list that was chosen after a look needs new labels alone, or an audit of the unlabeled
    rows (:doc:`/guarantees`).

    By ``n_clusters="auto"``, numbers grow by a quarter, up to 200 or a quarter of the
    rows; for mixtures, a tenth. If cells of ``X`` times clusters of all fits exceed 1e10
    (1e9 where ``X`` is sparse), it is every other number. With a language that does not
    weigh numbers ("simple" and "init"), "auto" means None.

    With a ``target``, clusters are left out, or classes of a classifier, by quarters of
    its confidence. If rows select, they fix a few nested sets of clusters that share
    delta; otherwise any set may be left out, at a cost of bits. Candidates are ranked by
    ``mean_coverage`` ("holdout" chooses by ``mean_expected_coverage``). :meth:`predict`
    gives no class to rows of clusters that are left out. If no set reaches the target,
    there is no certificate.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004.
    .. [2] A. Blum and J. Langford, "PAC-MDL Bounds", COLT 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> y[np.random.RandomState(0).permutation(150)[:75]] = -1
    >>> search = PACMDLSearchCV(AgglomerativeClustering(), n_clusters=range(2, 8))
    >>> search.set_params(random_state=0).fit(X, y).best_params_
    {'n_clusters': 3}
    """

    audit_: Audit
    best_algorithm_: str
    best_bound_: float
    best_estimator_: Any
    best_index_: int
    best_mean_bound_: float
    best_params_: dict[str, Any]
    certificate_: BoundCertificate
    certificates_: list[BoundCertificate]
    certify_: str
    classes_: NDArray
    classifier_: ClusterLabelClassifier
    completed_y_: NDArray
    confidence_: NDArray[np.floating]
    constant_error_: float
    coverage_: float
    coverage_curve_: dict[str, NDArray]
    cv_results_: dict[str, NDArray]
    divisions_: list[tuple[NDArray[np.integer], NDArray[np.integer]]]
    labels_: NDArray[np.integer]
    n_splits_: int
    random_choice_test_: RandomChoiceTest
    ranked_by_: str
    refit_time_: float
    row_order_: NDArray[np.integer]
    split_transductions_: NDArray
    splits_: list[tuple[NDArray[np.integer], NDArray[np.integer]]]
    transduction_: NDArray

    def __init__(
        self,
        estimator: Clusterers | None = None,
        param_grid: ParameterGrids = None,
        *,
        n_clusters: NumbersByName = "auto",
        n_init: int | Mapping[str, int] = 1,
        language: LanguageName | Language | None = None,
        delta: float = 0.1,
        certify: Certify = "auto",
        choose: Literal["bound", "errors"] = "bound",
        target: float | None = None,
        noise: Noise = "cluster",
        classes: ArrayLike | None = None,
        cv: Any = None,
        scoring: Scoring = None,
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
        self.target = target
        self.noise = noise
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

    def __getattr__(self, name):
        missing = vars(self).get("_missing_", dict.fromkeys(EXPLAINED, _UNFITTED))
        why = _why_no_prediction(self) if name in ("predict", "score") else ""
        why = missing.get(name, _CALLED_OTHERWISE.get(name, why))
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if why:  # without a period at the end, since Python appends ". Did you mean"
            message += f": {why.removesuffix('.')}"
        raise AttributeError(message, name=name, obj=self)

    def __repr__(self, N_CHAR_MAX=700):
        constructed = super().__repr__(N_CHAR_MAX)
        lines = [line for line in (self._result(), self._advice()) if line]
        return "".join(f"# {line}\n" for line in lines) + constructed

    def _html_repr(self):
        result, advice = escape(self._result()), escape(self._advice())
        headline = f"<p><strong>{result}</strong></p>" if result else ""
        headline += f"<p>{advice}</p>" if advice else ""
        return headline + escaped(super()._html_repr(), keep="\n")

    def _result(self):
        """The result in one line; nothing before ``fit``."""
        if not hasattr(self, "certificates_"):
            return ""
        chosen = chosen_in_words(self.cv_results_, self.best_index_)
        if not self.certificates_:
            return f"{chosen}: nothing is certified."
        if listed := self.certificates_[0].subject.get("candidates"):
            chosen += f", of {listed}"
        if len(self.certificates_) == 1:
            claim = self.certificate_.claim
        else:
            of_splits = f"mean of the bounds of {len(self.certificates_)} splits"
            mean = rate_in_percent(self.best_mean_bound_, ceil)
            claim = f"{of_splits} {mean}, not certified"
        return f"{chosen}: {with_caveats(claim, caveats_of(self.certificates_))}"

    def _advice(self, planned=False):
        """What would help next, where labels are few; empty otherwise."""
        if len(getattr(self, "certificates_", [])) != 1:
            return ""
        n_labeled, n_classes = len(self.splits_[0][0]), len(self.classes_)
        if n_labeled >= _FEW_OF_A_CLASS * n_classes:
            return ""
        half = self.best_bound_ / 2
        plans = self.target is None and self.noise == "cluster"
        needed = self.labels_needed(half) if planned and plans else None
        texts = [f"{n_labeled} labels are few for {n_classes} classes."]
        if needed:
            texts.append(f"About {needed} may halve the bound (an estimate).")
        elif plans and not planned:
            texts.append(f"labels_needed({half:.2g}) plans for half of the bound.")
        if not any(
            learns(estimator) for _, estimator in named_estimators(self.estimator)
        ):
            texts.append("With more labels, a classifier in the list may help.")
        return " ".join([*texts, AFTER_A_LOOK])

    @with_callbacks
    def fit(
        self, X: Any, y: ArrayLike, groups: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Cluster the rows with all candidates, and choose and certify one of them.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            All rows, labeled and unlabeled; or distances or affinities of all pairs where
            the clusterers take these. Features that were selected, projected or embedded
            with the labels make the certificate wrong.
        y : array-like of shape (n_samples,)
            Labels. -1, or a missing value (None, NaN, NA), marks an unlabeled row.
            Mixing -1 and missing values warns, unless ``classes`` is given. Rows that
            people could not decide keep a class of their own.
        groups : array-like of shape (n_samples,), default=None
            The group of each row, of any hashable type, such as its document or patient.
            The test of the choice of the labeled rows then looks for groups that were
            labeled as a whole. A splitter that takes groups is given them, too.
        **params : dict
            Metadata, routed to the clusterers' ``fit_predict``, to the splitter and to
            the scorers where metadata routing is enabled. It must not depend on labels,
            and must not be modified.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data are not as described, or indexes have the same rows
            in different orders, all before clustering starts. If all candidates fail.
        """
        self._check_parameters()
        index = check_same_order(X=X, y=y, groups=groups, **params)
        with restored_on_failure(self):
            candidates = [each for _, each in named_estimators(self.estimator)]
            if self.estimator is None:  # Pipelines of ours leave no check to their steps
                candidates = [last_step(each)[1] for each in candidates]
            X = check_X(self, X, candidates)
            plan = make_plan(self, X, y, groups, params)
            if plan.objection is not None:
                warn(plan.objection)
            context = self._init_callback_context(max_subtasks=1 + self.refit)
            task = {"estimator": self, "X": X, "y": y, "metadata": params or None}
            context.call_on_fit_task_begin(**task)
            evaluated = self._evaluate(plan, context, task)
            counter = plan.counter
            sweep = Sweep(
                method=counter.method,
                goal=counter.goal,
                candidates=plan.candidates,
                counted=[None if e is None else e.counted for e in evaluated],
                weights=plan.weights,
                sizes=counter.sizes,
                n_classes=counter.n_classes,
                delta=self.delta,
                learns=[job.learns for job in plan.jobs],
            )
            claims = bound(sweep)
            ranking = rank(claims)
            report_edge(plan, ranking.best)
            last = LastFit(claims)
            if self.refit:
                best = ranking.best
                last = last_fit(plan, claims, best, context, evaluated[best])
            # Their copy of the rows may be most of the memory.
            jobs = [replace(job, X=None) for job in plan.jobs]
            evaluator = replace(plan.evaluator, shared=SharedResults())
            plan = replace(plan, jobs=jobs, evaluator=evaluator)
            result, missing = result_of(plan, X, evaluated, claims, ranking, last)
            # The only place where attributes are set, but for those of the features.
            for name, value in result.items():
                setattr(self, name, value)
            self._missing_ = missing
            self._index_ = index  # by which figures tell the order of the rows
            # Callbacks get the search as it is now: nothing has to be reconstructed.
            context.call_on_fit_task_end(**task, reconstruction_attributes={})
        return self

    def _report(self, title):
        check_is_fitted(self)
        reason = self._missing_.get("certificate_", "")
        instead = reason[:1].upper() + reason[1:]
        advice = self._advice(planned=True)
        return search_report(self, title, advice=advice, instead=instead)

    def _check_parameters(self):
        """Check all that needs no data."""
        check_clusterers(self.estimator)
        if isinstance(self.estimator, list | tuple):
            names, _ = zip(*named_estimators(self.estimator), strict=True)
            self._validate_names(names)
        check_open_unit("delta", self.delta)
        check_flag("refit", self.refit)
        if not isinstance(self.error_score, int | float | np.number) and not (
            isinstance(self.error_score, str) and self.error_score == "raise"
        ):
            raise invalid("error_score", "'raise' or a number", self.error_score)
        check_n_jobs(self.n_jobs)
        if not isinstance(self.verbose, int | np.integer | np.bool_) or self.verbose < 0:
            raise invalid("verbose", "an integer of at least 0", self.verbose)
        if self.memory is not None and self.random_state is None:
            warn(
                "memory has no effect with random_state=None: the rows are in another "
                "order each time, so no clustering is found again. Pass an int as "
                "random_state."
            )
        goal = make_goal(self.target, self.choose, self.noise, self.delta)
        resolve(self.certify, goal, self.language)

    def _evaluate(self, plan, context, task):
        """Evaluate all candidates; None, with a warning, for those that fail."""
        n_candidates = len(plan.jobs)
        if self.verbose > 0:
            if self.certify == "auto":
                print(f"Certifying by {plan.counter.method.kind!r}")
            names = ", ".join(dict.fromkeys(c.algorithm for c in plan.candidates))
            print(f"Trying {names}" + f" ({DEFAULT_LIST})" * (self.estimator is None))
            print(
                f"Fitting {n_candidates} candidates once each, and counting errors on "
                f"{len(plan.counter.splits)} splits"
            )
        sweep = context.subcontext(
            task_name="sweep", max_subtasks=n_candidates, sequential_subtasks=False
        )
        # Contexts are made before the jobs are dispatched: a new one is attached to its
        # parent, which must not change while it is pickled.
        jobs = [
            replace(
                job,
                context=sweep.subcontext(task_name="candidate", task_id=i),
                keeps_clustering=i in plan.tested,
            )
            for i, job in enumerate(plan.jobs)
        ]
        import_containers({id(job.estimator): job.estimator for job in jobs}.values())
        by_index: dict[int, tuple] = {}
        with announced(sweep, **task):
            evaluated = self._evaluate_in_parallel(plan, jobs)
        for group, outcomes, results in evaluated:
            by_index.update(zip(group, outcomes, strict=True))
            plan.evaluator.shared.results.update(results)  # for the last fit
        in_order = [by_index[i] for i in range(n_candidates)]
        outcomes, caught = map(list, zip(*in_order, strict=True))
        return report_sweep(plan, outcomes, caught, self.error_score)

    def _evaluate_in_parallel(self, plan, jobs):
        """Outcomes of candidates, together where they share a part of their fits."""
        n_jobs = effective_n_jobs(self.n_jobs)
        parts = plan.parts(n_jobs)
        if n_jobs == 1:  # all are in this process, which tells of each of them
            parts = [[i] for part in parts for i in part]
        if self.verbose:
            parts = costly_first(plan, parts)
        # Processes of multiprocessing, which joblib starts if asked, return all at once.
        backend, _ = get_active_backend()
        tells = self.verbose > 0 and backend.supports_return_generator
        parallel = Parallel(
            n_jobs=self.n_jobs,
            pre_dispatch=self.pre_dispatch,
            verbose=max(self.verbose - 1, 0),
            return_as="generator_unordered" if tells else "list",
        )
        progress = Progress(plan, parts, n_jobs) if self.verbose else list
        # Threads that record warnings at the same time may leave the filters changed;
        # leaving catch_warnings restores them.
        with warnings.catch_warnings():
            evaluated = progress(
                parallel(
                    delayed(evaluate_together)(
                        plan.evaluator,
                        part,
                        [replace(jobs[i], X=None) for i in part],
                        jobs[part[0]].X,
                    )
                    for part in parts
                )
            )
        if len(evaluated) < len(parts):  # joblib dispatches nothing, and says nothing
            raise invalid("pre_dispatch", "at least one task", self.pre_dispatch)
        return evaluated

    @property
    def clusters_(self) -> pd.DataFrame:
        """The chosen clustering as a table, see Attributes."""
        return as_frame(self._clusters_, index="cluster")

    @property
    def classes_without_cluster_(self) -> NDArray:
        """Classes that no cluster is given, see Attributes."""
        used = set(self._clusters_["class"].tolist())
        return self.classes_[[name not in used for name in self.classes_.tolist()]]

    def labels_needed(self, target: float, *, quantile: float = 0.5) -> int | None:
        """Plan how many labels a search over the same candidates needs for a target.

        The number is an estimate, and the bound that it leads to is not guaranteed. It
        depends on the present labels, so let new labels alone certify: draw an audit of
        the unlabeled rows. Adding labels until a bound is small enough is not valid.

        Parameters
        ----------
        target : float
            Target bound on the error rate of the unlabeled rows, in (0, 1).
        quantile : float, default=0.5
            Probability, in (0, 1), with which the bound is to meet the target.

        Returns
        -------
        n_labeled : int or None
            Total number of labeled rows, from the present number to half of the rows,
            which may be too few. None if the target cannot be reached, as far as the
            present labels can tell.

        Raises
        ------
        ValueError
            If a parameter is not as described, or rows may be left out: the search has a
            target, or ``noise`` is "abstain".
        AttributeError
            If there is not exactly one certificate.

        See Also
        --------
        sklearn_pacmdl.labels_needed : The same before any label is there.
        sklearn_pacmdl.audits.AuditMonitor : Stops an audit as soon as labels are enough.

        Notes
        -----
        From what the present labels tell of how pure clusters are, more labels are drawn
        many times for up to 21 candidates of different numbers of clusters. The best
        tenth of these is left out as too good. Under "pac-mdl", and with
        ``choose="errors"``, this plans for the smallest bound under "learned". What more
        labels may teach a classifier is not planned for.

        The number is a hint. It was measured after lucky first draws, with bounds in the
        lowest quarter, on four data sets (:doc:`/how_many`). New draws met the targets in
        45 to 84% of the cases for a quantile of 0.5, and in 88 to 100% for 0.9.
        """
        check_is_fitted(self)
        check_open_unit("target", target)
        check_open_unit("quantile", quantile)
        if self.target is not None or self.noise == "abstain":
            left_out = "target" if self.target is not None else "noise"
            allowed = {"target": None, "noise": "cluster"}[left_out]
            allowed = f"{allowed!r}: labels_needed plans for a class of every row"
            raise invalid(left_out, allowed, getattr(self, left_out))
        n_labeled = len(self.splits_[0][0])
        if self.best_bound_ <= target:
            return n_labeled
        tables, fraction = self._planned_
        clusterings = []
        for sizes, (clusters, classes, counts) in tables:
            table = np.zeros((len(sizes), classes.max() + 1), dtype=int)
            table[clusters, classes] = counts
            clusterings.append(SimulatedClusters.seen(sizes, table))
        kind = "holdout" if self.certify_ == "holdout" else "learned"
        # Where no label selects, it is planned as if some would.
        share = fraction or SELECTING_SHARE
        plan = LabelPlan(clusterings, kind, share, self.delta, quantile)
        return plan.needed(target, n_labeled)

    @available_if(_can_predict)
    def predict(self, X: ArrayLike) -> NDArray:
        """Predict the class of each row: that of the cluster predicted for it.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows. The certificate does not cover them, nor predictions for rows of
            ``fit``, whose certified classes are in ``transduction_``: some clusterers
            predict clusters other than ``labels_``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class of each row; -1 or None for rows of clusters that are left out.

        Raises
        ------
        AttributeError
            If the chosen clusterer has no ``predict``, or ``refit`` was False.
        """
        check_is_fitted(self)
        if hasattr(self, "classifier_"):
            return self.classifier_.predict(X)
        return self.classes_[self._targets_.decoded(self.best_estimator_.predict(X))]

    score = available_if(_can_predict)(score)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        if isinstance(self.estimator, list | tuple):
            return self._get_params("estimator", deep=deep)
        return super().get_params(deep=deep)

    def set_params(self, **params: Any) -> Self:
        return self._set_params("estimator", **params)

    def get_metadata_routing(self) -> MetadataRouter:
        router = MetadataRouter(owner=self).add_self_request(self)
        several = is_list(self.estimator)
        for name, estimator in named_estimators(self.estimator):
            callee = "fit" if learns(estimator) else "fit_predict"
            to_fit = MethodMapping().add(caller="fit", callee=callee)
            consumer = {name if several else "estimator": estimator}
            router.add(**consumer, method_mapping=to_fit)
        router.add(
            splitter=self.cv,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
        return router.add(
            scorer=scorer_routing(named_scorers(self.scoring)),
            method_mapping=MethodMapping().add(caller="fit", callee="score"),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        with suppress(ValueError):  # of an invalid estimator, which fit reports
            estimators = [estimator for _, estimator in named_estimators(self.estimator)]
            tags.input_tags = inherited_input_tags(estimators)
            # Of the default candidates, those that take nothing negative get no other.
            tags.input_tags.positive_only &= self.estimator is not None
        return tags

    @available_if(_is_well_formed)
    def _sk_visual_block_(self):
        names, estimators = zip(*named_estimators(self.estimator), strict=True)
        return visual_block(estimators, names)
