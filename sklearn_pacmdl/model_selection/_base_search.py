"""Base class of the searches: it plans the sweep, evaluates, ranks and certifies."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..certificates import (
    BoundCertificate,
    caveats_of,
    fingerprint_certifying,
    fingerprint_labels,
    fingerprint_row_order,
    with_caveats,
)
from ..certification._counting import predicted_by
from ..certification._goals import LabelAll, drops_noise
from ..certification._pipeline import (
    bound,
    check_language_of,
    issue_certificate,
    rank,
    weigh,
)
from ..certification._registry import make_strategy
from ..labeling import describe_clusters, warn_of_blind_names
from ..random_choice import (
    RandomChoiceTest,
    check_random_choice,
    fields_of_test,
)
from ..reports import ReportMixin, search_report
from ..utils._checks import check_flag, check_n_jobs, check_open_unit, invalid
from ..utils._label_tables import ReadsLabelings, names_of, read_labelings
from ..utils._labels import ABSTAIN
from ..utils._printable import escaped
from ..utils._row_order import check_same_order
from ..utils._sklearn import (
    BaseComposition,
    CallbackSupportMixin,
    check_X,
    inherited_input_tags,
    last_step,
    restored_on_failure,
    visual_block,
    with_callbacks,
)
from ..utils._words import as_frame, chosen_in_words, rate_in_percent
from ._candidates import check_clusterers, learns, named_estimators
from ._evaluation import announced, between_clusters, evaluate_together, same_threads
from ._learners import Targets
from ._messages import no_single_certificate, report_edge, report_sweep
from ._plan import make_plan, router_name
from ._results import constant_error, make_sweep, search_table
from ._scoring import scorer_routing
from ._shared import is_of_rows

if TYPE_CHECKING:
    import pandas as pd

# Types of the parameters of searches.
Clusterers = Any | Sequence[tuple[str, Any]]
Numbers = int | Iterable[int] | Mapping[str, int | Iterable[int]] | None
ParameterGrids = Mapping[str, Sequence] | Sequence[Mapping[str, Sequence]] | None
Scoring = str | Callable | Sequence[str] | Mapping[str, str | Callable] | None


def _is_well_formed(self):
    try:
        check_clusterers(self.estimator)
    except (TypeError, ValueError) as error:
        raise AttributeError(str(error)) from error
    return True


class BaseSearch(ReportMixin, CallbackSupportMixin, MetaEstimatorMixin, BaseComposition):
    """Base class of searches; the parameters are those of :class:`PACMDLSearchCV`."""

    best_algorithm_: str
    best_bound_: float
    best_index_: int
    best_mean_bound_: float
    best_params_: dict[str, Any]
    certificate_: BoundCertificate
    certificates_: list[BoundCertificate]
    certify_: str
    classes_: NDArray
    completed_y_: NDArray
    constant_error_: float
    coverage_: float
    cv_results_: dict[str, NDArray]
    divisions_: list[tuple[NDArray[np.integer], NDArray[np.integer]]]
    labels_: NDArray[np.integer]
    n_splits_: int
    random_choice_test_: RandomChoiceTest
    ranked_by_: str
    row_order_: NDArray[np.integer]
    split_transductions_: NDArray
    splits_: list[tuple[NDArray[np.integer], NDArray[np.integer]]]
    transduction_: NDArray

    # Why an attribute may be missing, as functions of those that there are.
    _reasons: ClassVar[dict[str, Callable]] = {}

    def __getattr__(self, name):
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in self._reasons:
            # Only vars(self) is looked at, since attributes may be missing. Without a
            # period at the end, since Python appends ". Did you mean".
            message += f": {self._reasons[name](vars(self)).removesuffix('.')}"
        raise AttributeError(message, name=name, obj=self)

    def __repr__(self, N_CHAR_MAX=700):
        constructed = super().__repr__(N_CHAR_MAX)
        result = self._result()
        return f"# {result}\n{constructed}" if result else constructed

    def _html_repr(self):
        result = self._result()
        said = f"<p><strong>{escape(result)}</strong></p>" if result else ""
        return said + escaped(super()._html_repr(), keep="\n")

    def _result(self):
        """What was found, in one line; nothing before ``fit``."""
        state = vars(self)
        if "certificates_" not in state:
            return ""
        chosen = chosen_in_words(self.cv_results_, self.best_index_)
        if not self.certificates_:
            return f"{chosen}: nothing is certified."
        if len(self.certificates_) == 1:
            said = self.certificate_.claim
        else:
            of_splits = f"mean of the bounds of {len(self.certificates_)} splits"
            mean = rate_in_percent(self.best_mean_bound_, ceil)
            said = f"{of_splits} {mean}, not certified"
        return f"{chosen}: {with_caveats(said, caveats_of(self.certificates_))}"

    @with_callbacks
    def fit(
        self, X: Any, y: ArrayLike, groups: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Cluster the rows with all candidates, and choose and certify one of them.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            All rows, labeled and unlabeled; or of shape (n_samples, n_samples) where
            the clusterers take precomputed distances or affinities. For
            :class:`~sklearn_pacmdl.cluster.PrecomputedLabels`, a table of labelings. X
            must have been made without the labels: features that were selected,
            projected or embedded with their help make the certificate wrong.
        y : array-like of shape (n_samples,)
            Labels. -1, or a missing value (None, NaN, NA), marks an unlabeled row.
            Mixing -1 and missing values warns, unless ``classes`` is given.
        groups : array-like of shape (n_samples,), default=None
            The group of each row, of any hashable type, such as its document, patient or
            field. The test of the choice of the labeled rows then looks for groups that
            were labeled as a whole. A splitter that takes groups is given them, too.
        **params : dict
            Metadata, routed to the clusterers' ``fit_predict``, to the splitter and to
            the scorers where metadata routing is enabled. It must not depend on labels
            or on which rows are labeled, and must not be modified.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data are not as described, or indexes have the same rows
            in different orders. This is checked before any clustering starts. If all
            candidates fail.
        """
        self._check_parameters()
        index = check_same_order(X=X, y=y, groups=groups, **params)
        with restored_on_failure(self):
            X = self._check_X(X, y)
            plan = make_plan(self, X, y, groups, params)
            if plan.objection is not None:
                warnings.warn(plan.objection, stacklevel=3)
            context = self._init_callback_context(max_subtasks=1 + self.refit)
            told = {"estimator": self, "X": X, "y": y, "metadata": params or None}
            context.call_on_fit_task_begin(**told)
            evaluated = self._evaluate(plan, context, told)
            sweep = make_sweep(plan, evaluated, self.delta)
            claims = bound(weigh(sweep))
            ranking = rank(claims)
            self._store(plan, evaluated, claims, ranking)
            report_edge(plan, ranking.best, stacklevel=3)
            if self.refit:
                chosen = evaluated[self.best_index_]
                claims = self._refit(plan, claims, context, chosen)
            # Under hold-out nothing is claimed of the others.
            self.coverage_ = float(claims.coverages()[:, self.best_index_].mean())
            self._describe(plan, claims)
            plan = plan.without_rows()  # their copy may be most of the memory
            if not plan.drawn:
                self.random_choice_test_ = self._test_choice(plan, evaluated)
            if self.refit:
                self._label(plan, X, claims.of(self.best_index_))
            self._certify(plan, claims)
            self._index_ = index  # by which figures tell the order of the rows
            # Callbacks get the search as it is now: nothing has to be reconstructed.
            context.call_on_fit_task_end(**told, reconstruction_attributes={})
        return self

    def _report(self, title):
        check_is_fitted(self)
        reason = no_single_certificate(vars(self))
        return search_report(self, title, reason[:1].upper() + reason[1:])

    def _pairs(self):
        """Named clusterers; none if ``estimator`` is invalid, which ``fit`` reports."""
        try:
            return named_estimators(self.estimator)
        except ValueError:
            return []

    def _check_parameters(self):
        """Check all that needs no data."""
        check_clusterers(self.estimator)
        if isinstance(self.estimator, list | tuple):
            names, _ = zip(*named_estimators(self.estimator), strict=True)
            self._validate_names(names)
        check_open_unit("delta", self.delta)
        check_flag("refit", self.refit)
        check_flag("paper_bounds", self.paper_bounds)
        if not isinstance(self.error_score, int | float | np.number) and not (
            isinstance(self.error_score, str) and self.error_score == "raise"
        ):
            raise invalid("error_score", "'raise' or a number", self.error_score)
        check_n_jobs(self.n_jobs)
        if not isinstance(self.verbose, int | np.integer | np.bool_) or self.verbose < 0:
            raise invalid("verbose", "an integer of at least 0", self.verbose)
        if self.memory is not None and self.random_state is None:
            warnings.warn(
                "memory has no effect with random_state=None: the rows are in another "
                "order each time, so no clustering is found again. Pass an int as "
                "random_state.",
                stacklevel=4,
            )
        strategy = self._make_strategy()
        check_language_of(strategy, self.language)
        if self.paper_bounds and strategy.fraction:
            allowed = f"False with certify={self.certify!r}, where some labels select"
            raise invalid("paper_bounds", allowed, self.paper_bounds)
        if self.paper_bounds and drops_noise(self.noise):
            allowed = "False with noise='abstain', which the paper has no bounds for"
            raise invalid("paper_bounds", allowed, self.paper_bounds)

    def _make_strategy(self, n_labeled=None):
        return make_strategy(
            self.certify, self.select_fraction, n_labeled=n_labeled, choose=self.choose
        )

    def _goal(self):
        return LabelAll(self.choose, drops_noise(self.noise))

    def _check_X(self, X, y):
        """X as its clusterers may take it; labelings, if each column is a candidate."""
        clusterers = [estimator for _, estimator in named_estimators(self.estimator)]
        # All of them must read labelings. For others the columns are features too.
        if self.param_grid is not None or not all(
            isinstance(clusterer, ReadsLabelings) and clusterer.column is None
            for clusterer in clusterers
        ):
            return check_X(self, X, clusterers)
        labelings = read_labelings(X, len(y) if hasattr(y, "__len__") else None)
        labelings.describe(self)
        return labelings

    def _evaluate(self, plan, context, told):
        """Evaluate all candidates; None for those that fail, of which a warning tells."""
        n_candidates = len(plan.jobs)
        if self.verbose > 0:
            if self.certify == "auto":
                print(f"Certifying by {plan.assessment.strategy.kind!r}")
            print(
                f"Fitting {n_candidates} candidates once each, and counting errors on "
                f"{len(plan.assessment.splits)} splits"
            )
        sweep = context.subcontext(
            task_name="sweep", max_subtasks=n_candidates, sequential_subtasks=False
        )
        # Contexts are made before the jobs are dispatched: a new one is attached to its
        # parent, which must not change while it is pickled.
        jobs = [
            replace(job, context=sweep.subcontext(task_name="candidate", task_id=i))
            for i, job in enumerate(plan.jobs)
        ]
        groups = plan.groups(effective_n_jobs(self.n_jobs))
        parallel = Parallel(
            n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch, verbose=self.verbose
        )
        # Threads that record warnings at the same time may leave the filters changed;
        # leaving catch_warnings restores them.
        with announced(sweep, **told), warnings.catch_warnings():
            found = parallel(
                delayed(evaluate_together)(
                    plan.evaluator,
                    [replace(jobs[i], X=None) for i in group],
                    jobs[group[0]].X,
                )
                for group in groups
            )
        if len(found) < len(groups):  # joblib dispatches nothing, and says nothing
            raise invalid("pre_dispatch", "at least one task", self.pre_dispatch)
        by_index: dict[int, tuple] = {}
        for group, (own, results) in zip(groups, found, strict=True):
            by_index.update(zip(group, own, strict=True))
            plan.evaluator.shared.found.update(results)  # for the last fit
        in_order = [by_index[i] for i in range(n_candidates)]
        outcomes, caught = map(list, zip(*in_order, strict=True))
        return report_sweep(plan, outcomes, caught, self.error_score, stacklevel=4)

    def _store(self, plan, evaluated, claims, ranking):
        """Store the table of results and the choice."""
        assessment = plan.assessment
        self.classes_, self.certify_ = plan.classes, plan.assessment.strategy.kind
        self.splits_, self.n_splits_ = list(assessment.splits), len(assessment.splits)
        self.divisions_ = list(assessment.divisions)
        self.row_order_ = assessment.order
        self.constant_error_ = constant_error(assessment)
        self._objection_ = plan.objection
        self._select_fraction_ = assessment.strategy.fraction
        self.cv_results_ = search_table(
            plan, evaluated, claims, ranking, self.error_score
        )
        self.ranked_by_ = f"mean_{ranking.column}"
        self.best_index_ = ranking.best
        self.best_params_ = self.cv_results_["params"][ranking.best]
        self.best_algorithm_ = plan.candidates[ranking.best].algorithm
        self.best_mean_bound_ = float(self.cv_results_["mean_test_bound"][ranking.best])

    def _describe(self, plan, claims):
        """Store what describes claims while there are rows; a hook of subclasses."""

    def _refit(self, plan, claims, context, chosen):
        """Adopt the chosen fit, or fit again, and return the claims about it."""
        # Labels may depend on the number of threads, which differs between processes, so
        # the sweep's is used.
        #
        # The counts of the sweep and of this fit are of the same partition, unless the
        # clusterer draws on randomness that has no seed. Then those of this fit are
        # certified: refitting every candidate would have been equally valid. A fit that
        # was kept is the one that was counted.
        start = time.perf_counter()
        found = chosen.kept.restored() if chosen.kept is not None else None
        index, evaluator = self.best_index_, plan.evaluator
        if found is not None:
            labels, self.best_estimator_ = found
            self._adopt_labels(plan, labels)
            self.refit_time_ = time.perf_counter() - start
            return claims
        job = replace(plan.jobs[index], context=context.subcontext(task_name="refit"))
        # The sweep has reported the warnings.
        with same_threads(chosen.threads), warnings.catch_warnings(record=True):
            labels, _, self.best_estimator_ = evaluator.fit(job, keep=True)
        self.refit_time_ = time.perf_counter() - start
        self._adopt_labels(plan, labels)
        counted = evaluator.count(job, labels)
        if counted.partition == claims.sweep.of(index).partition:
            return claims
        warnings.warn(
            f"Refitting {self.best_algorithm_!r} with the same seed gave a different "
            "clustering; the certificates describe the refitted one, and may differ "
            "from cv_results_.",
            stacklevel=4,
        )
        return bound(weigh(claims.sweep.refitted(index, counted), only=index))

    def _adopt_labels(self, plan, labels):
        """Store the clusters of the rows, or what a classifier predicts."""
        if not plan.jobs[self.best_index_].learns:
            _restore_labels(self.best_estimator_, labels)
            self.labels_ = labels
            return
        self._predictions_ = labels
        select, _ = plan.assessment.divisions[0]
        codes = plan.assessment.codes[select]
        self._targets_ = Targets.of(self.best_estimator_, codes, plan.classes)

    def _row_codes(self, plan, claims):
        """Class codes of all rows by each split, as they are claimed."""
        nothing = np.full(len(plan.labels), ABSTAIN)
        if "labels_" in vars(self):
            clusters = plan.assessment.partition(self.labels_).clusters
            return [nothing if c is None else c.option.classes[clusters] for c in claims]
        if None in claims:  # with a target, and so on one split
            return [nothing]
        given = [claim.option.classes for claim in claims]
        by_split = []
        for classes, counted, predicted in zip(given, *self._predictions_, strict=True):
            # Also where no row was counted: predictions of selecting rows may differ.
            class_of = np.arange(predicted.max() + counted.max() + 1) % len(self.classes_)
            class_of[predicted_by(plan.assessment.partition(counted), counted)] = classes
            by_split.append(class_of[predicted])
        del self._predictions_  # several numbers for each row
        return by_split

    def _test_choice(self, plan, evaluated):
        """Test the choice of the labeled rows by partitions that no label influenced."""
        partitions = {
            name: evaluated[i].partition
            for i, name in plan.tested.items()
            if evaluated[i] is not None
        }
        n_declared = None if self.classes is None else len(self.classes_)
        codes = plan.assessment.codes
        return check_random_choice(
            codes, partitions, plan.row_groups, n_declared, stacklevel=4
        )

    def _describe_clusters(self, plan, X, given):
        """Store the table of the clusters, whose rows have been given these classes."""
        # If no label is missing, all of them name the clusters, since ``transduction_``
        # then belongs to no split. A classifier has none.
        if "labels_" not in vars(self):
            return
        codes = plan.assessment.codes
        distances = between_clusters(plan.jobs[self.best_index_], X, self.labels_)
        naming, certifying = plan.assessment.naming(0)
        if plan.drawn:
            naming, certifying = np.arange(len(codes)), certifying[:0]
        self._clusters_ = describe_clusters(
            self.labels_, codes, given, naming, certifying, self.classes_, distances
        )
        if isinstance(self.best_estimator_, ReadsLabelings):
            names = names_of(self._clusters_["cluster"], self.best_estimator_.names_)
            self._clusters_ |= {} if names is None else {"name": names}
        what = "selecting " if len(certifying) else ""
        warn_of_blind_names(self._clusters_, what, stacklevel=5)

    @property
    def clusters_(self) -> "pd.DataFrame":
        """The chosen clustering as a table, see Attributes."""
        return as_frame(self._clusters_, index="cluster")

    @property
    def classes_without_cluster_(self) -> NDArray:
        """Classes that no cluster is given, see Attributes."""
        given = set(self._clusters_["class"].tolist())
        return self.classes_[[name not in given for name in self.classes_.tolist()]]

    def _certify(self, plan, claims):
        self.certificates_ = []
        if plan.objection is not None:
            return
        for split, best in enumerate(claims.best):
            if best[self.best_index_] is not None:
                self.certificates_.append(self._certificate(plan, claims, split))
        if len(self.certificates_) == 1:
            (self.certificate_,) = self.certificates_
            self.best_bound_ = self.certificate_.stated_rate

    def _certificate(self, plan, claims, split):
        clusterers = [variant.estimator for variant in plan.variants.values()]
        return issue_certificate(
            claims,
            split,
            self.best_index_,
            self.best_params_,
            declared=self.classes is not None or plan.drawn,
            made_before=all(isinstance(each, ReadsLabelings) for each in clusterers),
            drawn=plan.drawn,
            classes=self.classes_.tolist(),
            **({} if plan.drawn else fields_of_test(self.random_choice_test_)),
            fingerprints=self._fingerprints(plan, split),
        )

    def _fingerprints(self, plan, split):
        rows, labels = plan.seen(split)
        data = {"labels": labels}
        if self.refit:
            data["labeling"] = self.split_transductions_[split][rows]
        found = {name: fingerprint_labels(y, self.classes_) for name, y in data.items()}
        select, certify = self.divisions_[split]
        if len(select):
            found["certifying"] = fingerprint_certifying(np.isin(rows, certify))
        return found | {"row_order": fingerprint_row_order(plan.assessment.order)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters of the search, and with ``deep`` those of its clusterers.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of the clusterers.

        Returns
        -------
        params : dict
            Parameter names and values. With several clusterers, nested names are
            ``name__parameter``.
        """
        if isinstance(self.estimator, list | tuple):
            return self._get_params("estimator", deep=deep)
        return super().get_params(deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the search or of its clusterers.

        Parameters
        ----------
        **params : dict
            Parameters as named by :meth:`get_params`. A clusterer of a list is replaced
            by passing its name.

        Returns
        -------
        self : object
            The search itself.
        """
        return self._set_params("estimator", **params)

    def get_metadata_routing(self) -> MetadataRouter:
        """Get the routing of metadata to the clusterers, the splitter and the scorers.

        Returns
        -------
        routing : MetadataRouter
            The routing.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        several = isinstance(self.estimator, list | tuple)
        for name, estimator in named_estimators(self.estimator):
            callee = "fit" if learns(estimator) else "fit_predict"
            to_fit = MethodMapping().add(caller="fit", callee=callee)
            router.add(**{router_name(name, several): estimator}, method_mapping=to_fit)
        router.add(
            splitter=self.cv,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
        return router.add(
            scorer=scorer_routing(self.scoring),
            method_mapping=MethodMapping().add(caller="fit", callee="score"),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags = inherited_input_tags([est for _, est in self._pairs()])
        return tags

    @available_if(_is_well_formed)
    def _sk_visual_block_(self):
        names, estimators = zip(*named_estimators(self.estimator), strict=True)
        return visual_block(estimators, names)


def _restore_labels(estimator, labels):
    """Put ``labels_`` of a clusterer, or of the last step of a Pipeline, in X's order."""
    _, final = last_step(estimator)
    if is_of_rows(vars(final).get("labels_"), labels):
        final.labels_ = labels
