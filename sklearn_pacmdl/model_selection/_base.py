"""The sweep that searches share: validate, enumerate, cluster, count, bound, select."""

import re
import time
import warnings
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from ..bounds import BoundCertificate, fingerprint_labels, fingerprint_row_order
from ..labeling._choice_of_rows import check_random_choice
from ..labeling._clusters import as_frame, describe_clusters, warn_of_blind_names
from ..utils._checks import is_integer, shown
from ..utils._sklearn import (
    BaseComposition,
    check_X,
    inherited_input_tags,
    visual_block,
)
from ..utils._state import restored_on_failure
from ._candidates import check_clusterers, named_estimators
from ._certify import make_strategy
from ._claims import make_claims, selection_table
from ._evaluation import (
    Failure,
    Outcome,
    announced,
    canonical,
    count,
    digest,
    distances_of,
    evaluate,
    fit_candidate,
)
from ._missing import no_single_certificate, why_missing
from ._plan import Plan, router_name
from ._reports import (
    report_failures,
    report_indices,
    report_scores,
    report_warnings,
)
from ._results import (
    best_candidate,
    mean_over_starts,
    ranked_values,
    results_table,
)
from ._scoring import scorer_routing

# What may be in an expression of pre_dispatch: no names but n_jobs, and no powers.
_PRE_DISPATCH = re.compile(r"(?!.*\*\*)([\d\s.()+*/%-]|n_jobs)+")


def _is_well_formed(self):
    try:
        check_clusterers(self.estimator)
    except (TypeError, ValueError) as error:
        raise AttributeError(str(error)) from error
    return True


class BaseSearch(CallbackSupportMixin, MetaEstimatorMixin, BaseComposition):
    """What searches have in common; parameters are those of :class:`PACMDLSearchCV`."""

    # Of labels that select, where another is the default.
    _fractions: ClassVar[dict[str, float]] = {}
    # Why an attribute may be missing.
    _reasons: ClassVar[dict[str, Callable]] = dict.fromkeys(
        ("certificate_", "best_bound_"), no_single_certificate
    )

    def __getattr__(self, name):
        raise AttributeError(why_missing(self, name), name=name, obj=self)

    @with_callbacks
    def fit(self, X, y, **params):
        """Run the sweep and choose.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            All rows, labeled and unlabeled; or of shape (n_samples, n_samples) where
            the clusterers take precomputed distances or affinities.
        y : array-like of shape (n_samples,)
            Labels. -1, or a missing value (None, NaN, NA), marks an unlabeled row.
        **params : dict
            Metadata, routed to the clusterers' ``fit_predict``, to the splitter and to
            the scorers where metadata routing is enabled. Must not depend on labels or
            on which rows are labeled; nobody may write into it.

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
        strategy = self._check_parameters()
        with restored_on_failure(self):
            X = check_X(self, X, [est for _, est in named_estimators(self.estimator)])
            plan = Plan(self, X, y, params, strategy)
            if plan.objection is not None:
                warnings.warn(plan.objection, UserWarning, stacklevel=3)
            context = self._init_callback_context(max_subtasks=1 + self.refit)
            told = {"estimator": self, "X": X, "y": y, "metadata": params or None}
            context.call_on_fit_task_begin(**told)
            outcomes = self._sweep(plan, context, told)
            offered = self._store(plan, outcomes)
            if self.refit:
                offered = self._refit(plan, X, outcomes, context) or offered
            claims = [plan.task.strategy.best(claims) for claims in offered]
            if not plan.drawn:
                self.random_choice_test_ = self._test_choice(plan, outcomes)
            if self.refit:
                self._label(plan, X, claims)
            self._certify(plan, claims)
            # Of the search as it is now.
            context.call_on_fit_task_end(**told, reconstruction_attributes={})
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
                f"delta must be in the open interval (0, 1), got {shown(self.delta)}."
            )
        if not isinstance(self.refit, bool | np.bool_):
            raise ValueError(f"refit must be True or False, got {shown(self.refit)}.")
        if self.error_score != "raise" and not isinstance(
            self.error_score, int | float | np.number
        ):
            raise ValueError(
                f"error_score must be 'raise' or a number, got {shown(self.error_score)}."
            )
        _check_parallel(self.n_jobs, self.pre_dispatch, self.verbose)
        if self.memory is not None and self.random_state is None:
            warnings.warn(
                "memory has no effect with random_state=None: rows are in another order "
                "each time, so no clustering is found again. Pass an int as "
                "random_state.",
                UserWarning,
                stacklevel=4,
            )
        return make_strategy(self.certify, self.select_fraction, self._fractions)

    def _sweep(self, plan, context, told):
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
        # Made beforehand: contexts hang on their parent, which is being pickled.
        contexts = [
            sweep.subcontext(task_name="candidate", task_id=i)
            for i in range(n_candidates)
        ]
        parallel = Parallel(
            n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch, verbose=self.verbose
        )
        # Leaving it undoes what threads may leave behind that record warnings at once.
        with announced(sweep, **told), warnings.catch_warnings():
            evaluated = parallel(
                delayed(evaluate)(
                    *plan.inputs(i), plan.task, i, self.error_score, self, contexts[i]
                )
                for i in range(n_candidates)
            )
        outcomes, caught = map(list, zip(*evaluated, strict=True))
        report_warnings(caught, stacklevel=4)
        report_failures(plan, outcomes, self.error_score, stacklevel=4)
        counted = [outcome for outcome in outcomes if isinstance(outcome, Outcome)]
        report_scores(counted, stacklevel=4)
        report_indices(counted, stacklevel=4)
        return outcomes

    def _store(self, plan, outcomes):
        """The table and the choice.

        Returns
        -------
        offered : list of list of Claim
            Of the chosen candidate, by split.
        """
        task, strategy = plan.task, plan.task.strategy
        self.classes_ = plan.classes
        self.splits_, self.n_splits_ = list(task.splits), len(task.splits)
        self.divisions_ = list(task.divisions)
        self.row_order_ = task.order
        self._objection_ = plan.objection
        failed = np.array([isinstance(outcome, Failure) for outcome in outcomes])
        index_values = [getattr(o, "index_value", np.nan) for o in outcomes]
        plan.weigh([np.nan if isinstance(v, Failure) else v for v in index_values])
        chosen = None
        if strategy.by_selection:
            selection = selection_table(outcomes, self.n_splits_).mean(axis=1)
            over_starts = mean_over_starts(selection, plan.candidates)
            chosen = best_candidate(over_starts, failed, selection)
        offered = self._claims(plan, outcomes, chosen)
        self._describe(plan, offered)
        claims = [_best_of(split, strategy) for split in offered]
        self.cv_results_ = results_table(
            plan, outcomes, claims, strategy.chosen_by, self.delta, self.error_score
        )
        if chosen is None:
            values = ranked_values(self.cv_results_, strategy.chosen_by)
            tie_breakers = (
                self.cv_results_[name]
                for name in ("mean_test_bound", "description_length")
            )
            chosen = best_candidate(values, failed, *tie_breakers)
        self.best_index_ = chosen
        self.best_params_ = plan.params(chosen)
        self.best_algorithm_ = plan.candidates[chosen].algorithm
        self.best_mean_bound_ = float(self.cv_results_["mean_test_bound"][chosen])
        return [split[chosen] for split in offered]

    def _describe(self, plan, offered):
        """What a search says of all that it might claim."""

    def _claims(self, plan, outcomes, chosen=None):
        """By split: claims of all candidates, or of the one that was chosen before."""
        candidates = range(len(outcomes)) if chosen is None else [chosen]
        return [
            make_claims(split, candidates, outcomes, plan, self.delta, plan.pooled)
            for split in range(self.n_splits_)
        ]

    def _refit(self, plan, X, outcomes, context):
        """Fit the chosen candidate again and count what that fit gives.

        The counts of the sweep and of this fit are of the same partition, unless the
        clusterer draws on randomness that has no seed. Then those of this fit are the
        ones to certify: had all candidates been fitted again, their partitions would be
        just as independent of the labels, and their weights would sum to as much.

        Returns
        -------
        offered : list of list of Claim, or None
            New ones, by split, if it is another partition; else None.
        """
        index, task = self.best_index_, plan.task
        start = time.perf_counter()
        refit = context.subcontext(task_name="refit")
        estimator, swept, X_permuted, fit_params, code = plan.inputs(index)
        with warnings.catch_warnings(record=True):  # of which the sweep has told
            labels, _, self.best_estimator_ = fit_candidate(
                estimator,
                swept,
                X_permuted,
                fit_params,
                code,
                task,
                self,
                refit,
                keep=True,
            )
        self.refit_time_ = time.perf_counter() - start
        _restore_labels(self.best_estimator_, labels)
        self.labels_ = labels
        if digest(canonical(labels, task.order)) == outcomes[index].digest:
            return None
        warnings.warn(
            f"{self.best_algorithm_!r} gave another clustering when it was fitted "
            "again with the same seed; the certificates are about the last one, and "
            "may differ from cv_results_.",
            UserWarning,
            stacklevel=4,
        )
        # Only what no candidate but this one has a say in: not the weights of other
        # runs of the same labeling, nor weights learned from another partition.
        distances = distances_of(estimator, swept, X_permuted, labels, task)
        again = count(labels, task, index, self.refit_time_, {}, distances)
        outcomes = list(outcomes)
        outcomes[index] = again._replace(
            selection_errors=outcomes[index].selection_errors
        )
        offered = [
            make_claims(split, [index], outcomes, plan, self.delta, pooled=False)
            for split in range(self.n_splits_)
        ]
        self._describe(plan, offered)
        return [split[index] for split in offered]

    def _test_choice(self, plan, outcomes):
        """Look whether the labeled rows may be a random choice, by what saw no label."""
        partitions = {
            name: outcomes[i].partition
            for i, name in plan.tested.items()
            if isinstance(outcomes[i], Outcome)
        }
        n_declared = None if self.classes is None else len(self.classes_)
        return check_random_choice(plan.task.codes, partitions, n_declared, stacklevel=4)

    def _describe_clusters(self, plan, codes):
        """Table of the clusters whose rows have been given these classes.

        All labels name clusters where none are missing: ``transduction_`` is then no
        longer about a split.
        """
        estimator, swept, X, *_ = plan.inputs(self.best_index_)
        task = plan.task
        distances = distances_of(estimator, swept, X, self.labels_, task)
        naming, certifying = plan.naming(0)
        if plan.drawn:
            naming, certifying = np.arange(len(codes)), certifying[:0]
        self._clusters_ = describe_clusters(
            self.labels_, task.codes, codes, naming, certifying, self.classes_, distances
        )
        what = "selecting " if len(certifying) else ""
        warn_of_blind_names(self._clusters_, what, stacklevel=5)

    @property
    def clusters_(self):
        """The chosen clustering as a table, see Attributes."""
        return as_frame(self._clusters_, index="cluster")

    def _certify(self, plan, claims):
        self.certificates_ = []
        if plan.objection is not None:
            return
        for split, claim in enumerate(claims):
            if claim is not None:
                self.certificates_.append(self._certificate(plan, split, claim))
        if len(self.certificates_) == 1:
            (self.certificate_,) = self.certificates_
            self.best_bound_ = self.certificate_.bound

    def _certificate(self, plan, split, claim):
        _, test = self.splits_[split]
        select, certify = self.divisions_[split]
        option = claim.option
        return BoundCertificate.from_counts(
            option.n_train,
            option.n_test,
            option.train_errors,
            weights=claim.terms,
            delta=self.delta,
            provisos=self._provisos(plan),
            subject=self._subject(plan, len(option.classes), split),
            kind=plan.task.strategy.kind,
            n_select=len(select),
            n_train_abstained=len(certify) - option.n_train,
            n_test_abstained=len(test) - option.n_test,
            drawn=plan.drawn,
            classes=self.classes_.tolist(),
            facts=self._facts(plan),
            fingerprints=self._fingerprints(plan, split),
        )

    def _facts(self, plan):
        if plan.drawn:
            return {}
        return {"random_choice_p_value": self.random_choice_test_.p_value}

    def _fingerprints(self, plan, split):
        rows, labels = plan.seen(split)
        data = {"labels": labels}
        if self.refit:
            data["labeling"] = self.split_transductions_[split][rows]
        found = {name: fingerprint_labels(y, self.classes_) for name, y in data.items()}
        return found | {"row_order": fingerprint_row_order(plan.task.order)}

    def _provisos(self, plan):
        if self.classes is None and not plan.drawn:
            known = f"the {len(self.classes_)} classes were known beforehand"
            return known, *plan.assumed
        return plan.assumed

    def _subject(self, plan, n_clusters_found, split):
        """What a certificate is about, in JSON's terms."""
        candidate = plan.candidates[self.best_index_]
        language = self.language
        subject = {
            "algorithm": candidate.algorithm,
            "n_clusters": candidate.n_clusters,
            "n_clusters_found": n_clusters_found,
            "init": candidate.init,
            "params": {k: shown(v) for k, v in self.best_params_.items()},
            "n_classes": len(self.classes_),
            "n_candidates": len(plan.candidates),
        }
        if not plan.task.strategy.by_selection:  # else there is nothing to pay for
            named = language if isinstance(language, str) else repr(language)
            subject["language"] = named
        return subject | ({"split": split} if self.n_splits_ > 1 else {})

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
        """Routing of metadata to the clusterers, the splitter and the scorers.

        Returns
        -------
        routing : MetadataRouter
            What is routed where.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit_predict")
        several = isinstance(self.estimator, list | tuple)
        for name, estimator in named_estimators(self.estimator):
            router.add(**{router_name(name, several): estimator}, method_mapping=to_fit)
        router.add(
            cv=self.cv,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
        return router.add(
            scoring=scorer_routing(self.scoring),
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


def _check_parallel(n_jobs, pre_dispatch, verbose):
    """What joblib is given."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be None or an integer other than 0, got {shown(n_jobs)}."
        )
    if pre_dispatch != "all" and not _dispatched(pre_dispatch) >= 1:
        raise ValueError(
            "pre_dispatch must be 'all', an integer of at least 1 or an expression of "
            f"n_jobs such as '2*n_jobs', got {shown(pre_dispatch)}."
        )
    if not isinstance(verbose, int | np.integer | np.bool_) or verbose < 0:
        raise ValueError(
            f"verbose must be an integer of at least 0, got {shown(verbose)}."
        )


def _dispatched(pre_dispatch):
    """Tasks that joblib would dispatch at once with one job; 0 if that is no number."""
    if is_integer(pre_dispatch):
        return pre_dispatch
    if not isinstance(pre_dispatch, str) or not _PRE_DISPATCH.fullmatch(pre_dispatch):
        return 0
    try:
        return int(eval(pre_dispatch, {"__builtins__": {}}, {"n_jobs": 1}))
    except (ArithmeticError, SyntaxError, TypeError):
        return 0


def _best_of(claims, strategy):
    """The best claim of each candidate, None where there is none."""
    return {i: strategy.best(own) for i, own in claims.items()}


def _restore_labels(estimator, labels):
    """Put ``labels_`` of a clusterer, or of the last step of a Pipeline, in X's order."""
    final = estimator
    while hasattr(final, "steps"):
        final = final.steps[-1][1]
    if np.shape(vars(final).get("labels_")) == labels.shape:
        final.labels_ = labels
