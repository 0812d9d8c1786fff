"""What a candidate of a search is called, wherever it is shown."""

from collections.abc import Mapping
from typing import Any

# Parameters that are shown as a number of clusters.
_NUMBERS = ("n_clusters", "n_components")


def candidate_name(results: Mapping[str, Any], index: int) -> str:
    """Name of a candidate in ``cv_results_``, without its number of clusters and seeds.

    A labeling made elsewhere is called by its name or column.
    """
    if "labeling" in results:
        return str(results["labeling"][index])
    algorithm = str(results["algorithm"][index])
    params = results["params"][index] if "params" in results else {}
    parts = [algorithm]
    for key, value in params.items() if isinstance(params, Mapping) else ():
        parameter = key.removeprefix(f"{algorithm}__")
        if parameter == "column":
            only = len(set(results["algorithm"])) == 1
            parts = [str(value) if isinstance(value, str) else f"column {value}"]
            parts = parts if only else [algorithm, *parts]
        elif not parameter.endswith(("random_state", *_NUMBERS)):
            parts.append(f"{parameter}={value}")
    return ", ".join(parts)


def chosen_in_words(results: Mapping[str, Any], index: int) -> str:
    """Name of a candidate, and the number of clusters that it found."""
    n_clusters = results["n_clusters_found"][index]
    clusters = "cluster" if n_clusters == 1 else "clusters"
    return f"{candidate_name(results, index)}, {n_clusters} {clusters}"
