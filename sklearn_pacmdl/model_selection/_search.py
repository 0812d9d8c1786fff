"""The search for a clustering, chosen and certified by its bound."""

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..audits import Audit
from ..certification._goals import ALL_NOISE, Noise, drops_noise
from ..certification._registry import CertifyName, SelectFraction
from ..labeling import ClusterLabelClassifier
from ..languages import Language
from ..languages._paper import LanguageName
from ..utils._checks import check_open_unit, invalid
from ..utils._labels import ABSTAIN, completed, decode
from ..utils._row_order import check_same_order
from ._base_search import BaseSearch, Clusterers, Numbers, ParameterGrids, Scoring
from ._candidates import named_estimators
from ._learners import probabilities
from ._messages import OF_SEARCHES
from ._results import audit_of_search, leading_tables, row_confidence, search_plan


def _can_predict(self):
    """Whether the chosen clusterer, or before ``fit`` any of them, has ``predict``."""
    if not self.refit:  # the chosen one is not kept
        return False
    if hasattr(self, "best_estimator_"):
        return hasattr(self.best_estimator_, "predict")
    return any(hasattr(est, "predict") for _, est in named_estimators(self.estimator))


class PACMDLSearchCV(ClassifierMixin, BaseSearch):
    """Search for a clustering, with a PAC-MDL bound on its labeling errors.

    The search sweeps clusterers, numbers of clusters, random starts and parameters. Every
    clustering becomes a classifier: each cluster gets a class, mostly its most common
    label. The PAC-MDL theorem [2]_ bounds the errors on the rows *without* a label, for
    all candidates at once. So the bound is a guarantee for the clustering that is chosen.

    Parameters
    ----------
    estimator : estimator or list of (str, estimator)
        Clusterers with ``fit_predict``, or Pipelines that end in one, without a step that
        needs labels. Classifiers are fitted to the labels that select, if some do.
    param_grid : dict or list of dict, default=None
        Further parameters to try; with several clusterers, as ``name__parameter``.
    n_clusters : int, array-like of int or dict, default=None
        Numbers of clusters to try, as ``n_clusters`` (or ``n_components``) of the
        clusterers that have it. A dict gives them by the name of the clusterer. By
        default each clusterer keeps its own number.
    n_init : int or dict, default=1
        Number of random starts, each with its own seed, of clusterers with a
        ``random_state``. A clusterer's own ``n_init`` is left unchanged.
    language : {"simple", "init", "cluster", "algo"} or Language, default=None
        How many bits the choice of each candidate costs. By default it is
        :class:`~sklearn_pacmdl.languages.Prior` without parameters, which covers exactly
        what is swept; the names are the languages of [1]_. With "holdout" no choice costs
        bits, and it must be None.
    delta : float, default=0.1
        Probability, in (0, 1), with which the guarantee may fail.
    certify : {"auto", "learned", "decoupled", "pac-mdl", "holdout"}, default="auto"
        How the labeled rows are used. Names of ways of your own are allowed, too.

        - "learned": a random part of them sets a prior over candidates and names of
          clusters. The rest chooses, and certifies all candidates and all names at once.
          It is the tightest in most cases.
        - "decoupled": all of them choose, name and certify, and names cost no bits. It is
          for labels that cannot be divided.
        - "pac-mdl": the criterion of [1]_, in which all labels certify, and the choice
          and the names cost bits.
        - "holdout": a random part chooses one clustering and its names, and the rest
          certifies just that. It gains the last tenths of a percentage point, and says
          nothing of other candidates.
        - "auto": "learned"; with fewer than four labels, or ``choose="errors"``,
          "decoupled".
    choose : {"bound", "errors"}, default="bound"
        By what the clustering is chosen: the smallest bound, or the fewest errors that
        are expected from all labels. With few labels, the second mostly has fewer errors
        and a larger bound. It requires a way in which all labels certify.
    select_fraction : float or "auto", default="auto"
        Share of the labeled rows, in (0, 1), that does not certify. "auto" is 0.6.
    noise : {"cluster", "abstain"}, default="cluster"
        What becomes of rows that a clusterer calls noise (-1): one more cluster with a
        class, or rows that are given no class and are not certified. Candidates are then
        ranked by the share of the unlabeled rows that is not certified right: rows
        without a class, and errors that the others may have.
    classes : array-like, default=None
        All classes that rows may have, if they are known in advance. By default these
        are the classes in ``y``. If ``y`` has unlabeled rows, the guarantee of "pac-mdl"
        then assumes that they were known.
    cv : int, splitter or None, default=None
        How rows are split into labeled and unlabeled ones if all of ``y`` is labeled: an
        int is a number of random halvings, None means one.
    scoring : str, callable, list of str or dict, default=None
        Further scorers to record; they certify nothing. Those of metrics of classes, such
        as "accuracy", compare the labels that certify with the classes that other labels
        give to the clusters, see :func:`~sklearn_pacmdl.metrics.make_labeling_scorer`.
        Those of metrics of clusterings, such as "adjusted_rand_score", compare clusters
        with labels on the labeled rows. Others get ``(fitted clusterer, X, y)`` with all
        rows, permuted. Scorers of probabilities are refused.
    paper_bounds : bool, default=False
        Whether to record the bounds under the languages of [1]_, too, as
        ``mean_<language>_bound``. It must be False where some labels select.
    refit : bool, default=True
        Whether to provide the chosen clusterer, fitted, and the attributes about rows.
    n_jobs : int, default=None
        Number of candidates fitted in parallel.
    pre_dispatch : int or str, default="2*n_jobs"
        Number of tasks dispatched in advance, as in :class:`joblib.Parallel`.
    memory : str or joblib.Memory, default=None
        Where to keep finished clusterings, which requires an integer ``random_state``. It
        holds pickles, so share it only with people you trust.
    random_state : int, RandomState instance or None, default=None
        Determines the row permutation, splits, divisions of the labeled rows, random
        starts and ties. Fix it before looking at results.
    error_score : "raise" or float, default=np.nan
        Bound recorded for a candidate whose fit fails; "raise" raises the error.
    verbose : int, default=0
        Verbosity of :class:`joblib.Parallel`.

    Attributes
    ----------
    cv_results_, clusters_ : dict of str to ndarray, DataFrame
        One row for each candidate, and one for each cluster of the chosen one. The page
        :doc:`/results` of the user guide describes their columns.
    ranked_by_, best_index_ : str, int
        Column that candidates are ranked by, and the row of the chosen one.
    best_params_, best_algorithm_, best_estimator_ : dict, str, estimator
        The chosen candidate; its clusterer has seen the rows in the order ``row_order_``.
    certificate_, best_bound_ : BoundCertificate, float
        The guarantee, and its bound on the error rate of the unlabeled rows that have a
        class, in [0, 1]. Only if there is exactly one certificate.
    certificates_, best_mean_bound_ : list of BoundCertificate, float
        The certificate of each split, and the mean of bounds, which is descriptive.
    certify_ : str
        The way to certify that was used: ``certify``, or what "auto" stands for.
    transduction_, completed_y_ : ndarray of shape (n_samples,)
        Class of each row, certified if ``y`` had unlabeled rows; and ``y`` with its gaps
        filled by these classes. With ``noise="abstain"`` noise has no class: -1, or None
        if the classes are not integers.
    coverage_ : float
        Share of the unlabeled rows that are given a class, in [0, 1]; higher is better.
        It is 1 unless ``noise="abstain"``; of several splits the mean.
    split_transductions_ : ndarray of shape (n_splits, n_samples)
        The labelings that ``certificates_`` certify.
    labels_, classifier_ : ndarray of shape (n_samples,), ClusterLabelClassifier
        Cluster of each row; and the chosen clusterer as a classifier.
    classes_, classes_without_cluster_ : ndarray
        The classes, and those that no cluster is given.
    audit_, confidence_ : Audit, ndarray of shape (n_samples,)
        With ``certify="holdout"``: the certifying rows as an audit, and how sure the
        class of each row is, for :func:`~sklearn_pacmdl.audits.finish_labels`. Chosen
        classifiers with ``predict_proba`` have ``confidence_`` with "learned", too.
    splits_, divisions_ : list of (ndarray, ndarray)
        Of each split the labeled and the unlabeled rows; and of its labeled rows those
        that select, and those that certify.
    random_choice_test_ : RandomChoiceTest
        Whether the labeled rows look like a uniformly random choice.
    constant_error_, n_splits_, row_order_, refit_time_ : object
        Error rate of the best constant classifier, number of splits, permutation in which
        clusterers see the rows, and seconds of the last fit.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Number and names of the features, where X has such.

    See Also
    --------
    SelectiveClusterLabeler : Leaves out clusters that cannot be certified.

    Notes
    -----
    The labeled rows must be a uniformly random choice, and ``X`` and metadata must have
    been made without the labels. Only the unlabeled rows of ``fit`` are certified, and
    not ``predict``, ``score`` or a mean over splits. The guarantee is for one search: fix
    the number k of attempts in advance, and give each ``delta / k``.

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
    best_estimator_: Any
    classifier_: ClusterLabelClassifier
    confidence_: NDArray[np.floating]
    refit_time_: float

    _reasons = OF_SEARCHES

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
        noise: Noise = "cluster",
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
        self.noise = noise
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
        values = self.cv_results_["ranking_value"]
        self._planned_ = leading_tables(claims.sweep, values, self.best_index_)
        if not self.coverage_:
            warnings.warn(f"{ALL_NOISE}, so none is given a class.", stacklevel=4)
        if not self.refit or plan.objection is not None or self.n_splits_ > 1:
            return
        job, chosen = plan.jobs[self.best_index_], self.best_estimator_
        if job.learns:
            if hasattr(chosen, "predict_proba"):
                self.confidence_ = probabilities(job, plan.assessment, chosen)
        elif self.certify_ == "holdout":
            (claim,) = claims.of(self.best_index_)
            # Audits are of labelings that give every row a class.
            if claim is not None and np.all(claim.option.classes != ABSTAIN):
                known = self.best_index_, self.labels_, claim.option.classes
                self.confidence_ = row_confidence(plan, *known)

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
        self.split_transductions_ = decode(np.stack(by_split), self.classes_)
        codes = by_split[0]
        if "labels_" in vars(self):
            # Where no label is missing, all labels give the classes of transduction_,
            # about which there is no certificate.
            self._adopt_classifier(plan, X, None if plan.drawn else codes)
            own = self.classifier_
            codes = own._codes[np.searchsorted(own.clusters_, self.labels_)]
        else:
            self.transduction_ = self.split_transductions_[0]
        self.completed_y_ = completed(plan.labels, self.transduction_, self.classes_)
        self._describe_clusters(plan, X, codes)

    def _adopt_classifier(self, plan, X, given):
        codes, seed = plan.assessment.codes, plan.assessment.seed
        self.classifier_ = ClusterLabelClassifier(
            self.best_estimator_, classes=self.classes, random_state=seed
        )
        self.classifier_._drops_noise = drops_noise(self.noise)
        self.classifier_._adopt(
            self.best_estimator_, X, self.labels_, self.classes_, codes, given
        )
        self.transduction_ = self.classifier_.transduction_

    def labels_needed(self, target: float, *, quantile: float = 0.5) -> int | None:
        """Plan how many labels a search over the same candidates needs for a target.

        The number is an estimate, and the bound that it leads to is not guaranteed. Fix
        the number of labels before you look at the next bound: adding labels until a
        bound is small enough invalidates the guarantee.

        Parameters
        ----------
        target : float
            Target bound on the error rate of the unlabeled rows, in (0, 1).
        quantile : float, default=0.5
            Probability, in (0, 1), with which the bound is to meet the target.

        Returns
        -------
        n_labeled : int or None
            Total number of labeled rows, including the present ones; at most half of the
            rows. It is the present number if the bound meets the target already, and half
            of the rows if even these may be too few. None if the target cannot be
            reached, as far as the present labels can tell.

        Raises
        ------
        ValueError
            If a parameter is not as described, or ``noise`` is "abstain".
        AttributeError
            If there is not exactly one certificate.

        See Also
        --------
        sklearn_pacmdl.labels_needed : The same before any label is there.
        sklearn_pacmdl.audits.AuditMonitor : Stop as soon as labels are enough, at a price
            that is paid.

        Notes
        -----
        The present labels tell how pure the clusters may be. From that, more labels are
        drawn many times for up to 21 candidates of different numbers of clusters: too few
        labels name clusters wrongly, and more labels allow more clusters. Under
        "decoupled" and "pac-mdl", this plans for a search under "learned". What more
        labels may teach a classifier is not known, and not planned for.
        """
        check_is_fitted(self)
        check_open_unit("target", target)
        check_open_unit("quantile", quantile)
        if drops_noise(self.noise):
            allowed = "'cluster': labels_needed plans for a class of every row"
            raise invalid("noise", allowed, self.noise)
        n_labeled = len(self.splits_[0][0])
        if self.best_bound_ <= target:
            return n_labeled
        return search_plan(self, quantile).needed(target, n_labeled)

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
        check_same_order(X=X, y=y, sample_weight=sample_weight)
        return super().score(X, y, sample_weight)
