"""Messages that say why a search lacks an attribute, and what to do about it."""

_UNFITTED = "fit sets it, and has not been called yet."


def why_missing(search, name):
    """The message of an AttributeError.

    Parameters
    ----------
    search : BaseSearch
        It may lack attributes, so only ``vars(search)`` is looked at.
    name : str
        The attribute that is missing.

    Returns
    -------
    message : str
    """
    message = f"{type(search).__name__!r} object has no attribute {name!r}"
    reason = search._reasons.get(name)
    if reason is None:
        return message
    # Without a period at the end, since Python appends ". Did you mean".
    return f"{message}: {reason(vars(search)).removesuffix('.')}"


def no_single_certificate(state):
    """Why there is no ``certificate_`` and no ``best_bound_``."""
    if "certificates_" not in state:
        return _UNFITTED
    n_certificates = len(state["certificates_"])
    if n_certificates:
        return (
            f"each of the {n_certificates} splits has a certificate of its own, in "
            "certificates_, and best_mean_bound_ is only descriptive; with cv=None there "
            "is one split and one certificate."
        )
    return state["_objection_"] or "no labeling reached the target."


def no_refit(state):
    """Why there are no attributes about rows."""
    if "cv_results_" not in state:
        return _UNFITTED
    return "the chosen clusterer was not kept; fit with refit=True."


# Attributes about clusters.
CLUSTERS = ("labels_", "clusters_", "classes_without_cluster_", "classifier_")


def _learned(state):
    """Whether a classifier was chosen, and kept."""
    return "best_estimator_" in state and "labels_" not in state


def no_clusters(state):
    """Why there are no attributes about clusters."""
    if not _learned(state):
        return no_refit(state)
    return (
        f"the chosen {state['best_algorithm_']!r} is a classifier, which makes no "
        "clusters; best_estimator_ and transduction_ are its own."
    )


def no_prediction(state):
    """Why there is no ``predict`` and no ``score``."""
    if not state["refit"] or ("cv_results_" in state and "best_estimator_" not in state):
        return "the chosen clusterer is not kept with refit=False; fit with refit=True."
    if "best_algorithm_" in state:
        chosen = state["best_algorithm_"]
        return (
            f"the chosen clusterer, {chosen!r}, has no predict; transduction_ holds the "
            "classes of the rows that were passed to fit."
        )
    return "no clusterer of the search has predict."


def no_confidence(state):
    """Why it is not said how sure classes are."""
    if not _learned(state):
        return no_audit(state)
    if "certificate_" not in state:
        return no_single_certificate(state)
    return f"the chosen {state['best_algorithm_']!r} has no predict_proba."


def no_audit(state):
    """Why no labels audit the labeling."""
    if "cv_results_" not in state:
        return _UNFITTED
    if state["certify_"] != "holdout":
        return (
            "only certify='holdout' leaves labels that neither choose nor name clusters; "
            "draw_audit draws rows to audit any labeling."
        )
    if "certificate_" not in state:
        return no_single_certificate(state)
    if "confidence_" in state:
        return "a class is a text that audits take for a missing label, such as 'nan'."
    return no_confidence(state) if _learned(state) else no_refit(state)
