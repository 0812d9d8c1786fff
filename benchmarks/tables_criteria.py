"""Tables of the comparison of criteria."""

SHARES = (0.01, 0.05, 0.1, 0.5)
TRUTH = "Hidden accuracy"
WITH_LABELS = [
    "PAC-MDL bound",
    "Cross-validation",
    "Purity",
    "Normalized Hamming",
    "Dom's Q0",
    "Dom's Q1",
    "Dom's Q2",
    "Conditional entropy",
    "NMI = V-measure",
    "Adjusted Rand",
    "Rand",
    "Pair F1",
    "Pair F5",
    "Pair Jaccard",
    "Fowlkes-Mallows",
    "Hubert's Gamma",
]
LABEL_FREE = [
    "Silhouette",
    "Davies-Bouldin",
    "Calinski-Harabasz",
    "Dunn",
    "Minus SSE",
    "Edge cut",
    "Balance",
    "Category utility",
    "Informativeness",
    "Validated likelihood",
    "Number of clusters",
]
CRITERIA = [*WITH_LABELS, *LABEL_FREE]
BEST = "Best in hindsight"
ANY = "Any candidate"
AGREEMENT = "Spearman's correlation with hidden accuracy"
OVERALL = "Spearman's correlation, mean over data sets"
COMPARED = [
    "PAC-MDL bound",
    "Cross-validation",
    "Informativeness",
    "Silhouette",
    "Davies-Bouldin",
    "Calinski-Harabasz",
]


def percent(share):
    return f"{100 * share:g} %"


def agreement_table(agreement, sets):
    """Mean over splits: a row for each criterion, a column for each set and share."""
    own = agreement[agreement["data set"].isin(sets)]
    means = own.pivot_table("spearman", "criterion", ["data set", "share"])
    return means.loc[CRITERIA, [(name, share) for name in sets for share in SHARES]]


def overall_agreement(agreement):
    """Mean over all data sets."""
    return agreement.pivot_table("spearman", "criterion", "share").loc[CRITERIA]


def mean_over_sets(chosen, value, criteria):
    """A row for each criterion, a column for each share."""
    return chosen.pivot_table(value, "criterion", "share").loc[criteria]


def by_set(chosen, value, share):
    """A row for each data set, a column for each criterion."""
    own = chosen[chosen["share"] == share]
    means = own.pivot_table(value, "data set", "criterion", sort=False)
    return means[[*COMPARED, ANY, BEST]]


def tables_of(chosen, agreement, sets):
    """Tables by title."""
    shown = [*COMPARED, ANY, BEST]
    tables = {
        AGREEMENT: agreement_table(agreement, sets),
        OVERALL: overall_agreement(agreement),
        "Regret of all criteria (%), mean over data sets": 100
        * mean_over_sets(chosen, "regret", [*CRITERIA, ANY]),
        "Hidden error (%), mean over data sets": 100
        * mean_over_sets(chosen, "error", shown),
    }
    for share in SHARES:
        for value, what in (("error", "Hidden error"), ("regret", "Regret")):
            title = f"{what} (%) by data set, {percent(share)} labeled"
            tables[title] = 100 * by_set(chosen, value, share)
    return tables


def as_json(table):
    """By row and column, names of columns joined."""
    flat = table.set_axis(
        [
            ", ".join(map(str, column)) if isinstance(column, tuple) else str(column)
            for column in table.columns
        ],
        axis=1,
    )
    return flat.round(5).to_dict("index")
