"""Sources of clusterings: rows in memory, tables of counts, or a frame's engine."""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import column_or_1d

from ..certificates import fingerprint_certifying, fingerprint_labels
from ..columns import (
    as_column,
    as_labels,
    class_codes,
    column_names,
    completed,
    count_pairs,
    count_values,
    decode,
    encode_labels,
    frame_columns,
    is_column,
    labeled_rows,
    number_clusters,
    open_frame,
    place_of_noise,
    refuse_columns,
    why_copy_of_labels,
    why_no_clusters,
    why_too_many,
)
from ..estimators import is_frame, refuse_annotated
from ..labeling import describe_clusters, describe_counted_clusters, warn_of_blind_names
from ..random_choice import (
    check_counted_choice,
    check_groups,
    check_random_choice,
    clusterings_to_test,
    fields_of_test,
)
from ..utils._checks import (
    as_array,
    first_of,
    hint_of_image,
    invalid,
    is_iterable,
    shown,
    warn,
)
from ._counting import (
    CandidateCounts,
    Partition,
    SplitCounter,
    SplitSizes,
    count_options,
    digest,
    divide,
)
from ._counts import ClusterCounts, no_distances
from ._scoring import Scoring, make_scorers, report_scores, score_all, score_columns

#: Names, patterns of names, or a function that returns whether to use a name.
Columns = str | Sequence[str] | Callable[[str], bool] | None
# Values that may all mean noise: what is missing, NaN and -1.
_MARKS = 3


class Counted(NamedTuple):
    """Clusterings that were counted on one split, and how the chosen one is labeled."""

    clusterings: Sequence[CandidateCounts]
    sizes: SplitSizes
    # From the index of a clustering, the codes of its clusters, and all candidates:
    # fields of the result, and of a certificate.
    label: Callable[..., tuple[dict[str, Any], dict[str, Any]]]
    score: Callable[[], dict[str, NDArray]] = dict  # columns; last, since scorers see y


def read_source(clusterings, y, classes, columns, groups, scoring):
    """Clusterings by name, the classes of their labels, and how they are counted."""
    # A frame of an engine has columns by its type, as other sources in memory have not.
    outside = isinstance(clusterings, str | os.PathLike)
    outside = outside or hasattr(type(clusterings), "columns")
    frame = open_frame(clusterings) if outside else None
    if frame is not None:
        _refuse_scoring(scoring)
        names = list(column_names(frame, clusterings))
        for parameter, name in {"y": y, "groups": groups}.items():
            if name is None and parameter == "groups":
                continue
            if not isinstance(name, str) or name not in names:
                allowed = f"the name of a column of clusterings, one of {names}"
                raise invalid(parameter, allowed, name)
            names.remove(name)
        if not names:
            allowed = f"columns besides that of the labels {y!r}"
            raise invalid("clusterings", allowed, clusterings)
        names = names if columns is None else choose_columns(names, columns)
        return _in_frame(frame, names, y, groups, clusterings, classes)
    by_name, y, groups = _by_name(clusterings, y, groups)
    names = list(by_name)
    names = names if columns is None else choose_columns(names, columns)
    chosen = {name: by_name[name] for name in names}
    if any(isinstance(counts, ClusterCounts) for counts in chosen.values()):
        _refuse_scoring(scoring)
        return _in_tables(list(chosen.values()), y, groups, classes, names)
    return _in_rows(chosen, y, groups, classes, scoring)


def _refuse_scoring(scoring):
    if scoring is not None:
        allowed = "None where rows are counted, since scorers compare labels row by row"
        raise invalid("scoring", allowed, scoring)


def _by_name(clusterings, y, groups):
    """Clusterings by name, the labels and the groups."""
    refuse_annotated(
        "clusterings", clusterings, "its .obs, and columns= to choose its columns"
    )
    if isinstance(clusterings, ClusterCounts):
        clusterings = [clusterings]
    if is_frame(clusterings):
        if not hasattr(clusterings, "columns"):
            allowed = "a data frame, or a dict or list of clusterings, be it of one"
            raise invalid("clusterings", allowed, clusterings)
        columns = [(str(name), column) for name, column in frame_columns(clusterings)]
        columns, y = _without(columns, "y", y)
        columns, groups = _without(columns, "groups", groups)
    elif isinstance(clusterings, Mapping):
        columns = [(str(name), column) for name, column in clusterings.items()]
    else:
        if hasattr(clusterings, "shape"):
            clusterings = as_column("clusterings", clusterings)
        entries = clusterings if is_iterable(clusterings) else []
        columns = [(str(i), column) for i, column in enumerate(entries)]
    if not columns:
        raise invalid("clusterings", "one or more clusterings of rows", clusterings)
    if len(dict(columns)) < len(columns):
        names = [name for name, _ in columns]
        raise invalid("The names of clusterings", "different as text", names)
    return dict(columns), y, groups


def _without(columns, parameter, value):
    """The columns without the one that a parameter names, and what it stands for."""
    if not isinstance(value, str):
        return columns, value
    named = [column for name, column in columns if name == value]
    if len(named) != 1:
        names = [name for name, _ in columns]
        allowed = f"the name of a column of clusterings, one of {names}"
        raise invalid(parameter, allowed, value)
    return [(name, column) for name, column in columns if name != value], named[0]


def choose_columns(names, columns):
    """Names of the columns to use, in the order of the table."""
    if callable(columns) and not isinstance(columns, type):
        chosen = {name for name in names if columns(name)}
        unknown = [] if chosen else [columns]
    else:
        entries = [columns] if isinstance(columns, str) else columns
        if not is_iterable(entries) or not all(isinstance(e, str) for e in entries):
            allowed = "None, a name, a pattern, a list of these or a function of names"
            raise invalid("columns", allowed, columns)
        matches = {}
        for entry in entries:
            pattern = ".*".join(map(re.escape, entry.split("*")))  # * is any text
            like = [name for name in names if re.fullmatch(pattern, name, re.DOTALL)]
            matches[entry] = [entry] if entry in names else like
        chosen = {name for match in matches.values() for name in match}
        unknown = [entry for entry, match in matches.items() if not match]
    if unknown or not chosen:
        allowed = f"about columns of clusterings, which are {list(names)}"
        raise invalid("columns", allowed, unknown[0] if unknown else columns)
    return [name for name in names if name in chosen]


_REMEDY = "Leave them out by columns=, a list of names or a pattern such as 'leiden_*'"


def _clusterings(reasons):
    """Names of the columns for which there is no reason why they are no clusterings.

    These reasons follow from the clusters alone; no labels are looked at.
    """
    left_out = {name: reason for name, reason in reasons.items() if reason}
    if len(left_out) == len(reasons):
        refuse_columns("clusterings", reasons, _REMEDY)
    if left_out:
        named = [f"column {name!r} {reason}" for name, reason in left_out.items()]
        what = "Columns of clusterings that hold no clusters are left out"
        warn(f"{what}: {first_of(named)}.")
    return [name for name in reasons if name not in left_out]


def _check_columns(tables):
    """Refuse columns that are copies of labels, by names and rows of their clusters."""
    reasons = {name: why_copy_of_labels(*counts) for name, counts in tables.items()}
    refuse_columns("clusterings", reasons, _REMEDY)
    _, _, n_unlabeled = next(iter(tables.values()))
    if not n_unlabeled.any():
        raise ValueError(
            "y has no unlabeled row, which -1 or a missing value marks: there is nothing "
            "to certify."
        )


@dataclass(frozen=True, eq=False)
class RowClusterings:
    """Clusterings that are passed row by row."""

    names: list[str]
    classes: NDArray[Any]
    declared: bool  # whether the classes are known beforehand
    labels: NDArray[Any]
    codes: NDArray[np.integer]  # of the labels
    groups: ArrayLike | None
    clusterings: list[tuple[NDArray, NDArray]]  # names of clusters, and codes of rows
    scoring: Scoring

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows, which is known before any label is looked at."""
        return int(np.sum(self.codes >= 0))

    def count(self, method, goal, language, row_seed, seed):
        """Divide the labeled rows, and count all clusterings."""
        labeled = np.flatnonzero(self.codes >= 0)
        counter = SplitCounter(
            method=method,
            goal=goal,
            language=language,
            order=np.random.RandomState(row_seed).permutation(len(self.codes)),
            codes=self.codes,
            n_classes=len(self.classes),
            splits=[(labeled, np.flatnonzero(self.codes < 0))],
            divisions=[divide(labeled, method, [seed, 0])],
            seed=seed,
        )
        counted = [counter.count(labels) for labels in self._numbered()]
        to_do = partial(self._label, counter), partial(self._score, counter)
        return Counted(counted, counter.sizes[0], *to_do)

    def _numbered(self):
        """Clusters of each clustering, in which noise is called -1, as clusterers do."""
        for names, codes in self.clusterings:
            place = place_of_noise(names)
            yield codes if place is None else np.where(codes == place, -1, codes)

    def _score(self, counter):
        order = counter.order
        scorers = make_scorers(self.scoring, self.labels, self.classes, order, {})
        scores = []
        for labels in self._numbered():
            names = partial(counter.names_by_others, labels)
            found = score_all(scorers, BaseEstimator(), labels[order], names, X=None)
            scores.append(found)
        report_scores(scorers, scores)
        return score_columns(scorers, scores)

    def _label(self, counter, best, cluster_codes, candidates):
        classes, (names, clusters) = self.classes, self.clusterings[best]
        clusters = clusters.astype(np.intp)
        codes = cluster_codes[Partition(clusters, counter.order).clusters]
        transduction = decode(codes, classes)
        tested = {
            name: self.clusterings[i][1]
            for i, name in clusterings_to_test(candidates).items()
        }
        n_declared = len(classes) if self.declared else None
        test = check_random_choice(counter.codes, tested, self.groups, n_declared)
        naming, certifying = counter.naming()
        table = describe_clusters(
            clusters, counter.codes, codes, naming, certifying, classes, no_distances
        )
        warn_of_blind_names(table, listed_in="clusters")
        fields = {
            "transduction": transduction,
            "completed_y": completed(self.labels, transduction, classes),
            "random_choice_test": test,
            "division": counter.divisions[0],
            "cluster_classes": table["class"],
            "cluster_columns": table | {"cluster": names},
        }
        digests = {
            "labels": fingerprint_labels(self.labels, classes),
            "labeling": fingerprint_labels(transduction, classes),
        }
        select, certify = counter.divisions[0]
        if len(select):
            certifies = np.isin(np.arange(len(codes)), certify)
            digests["certifying"] = fingerprint_certifying(certifies)
        return fields, {**fields_of_test(test), "fingerprints": digests}


def _in_rows(clusterings, y, groups, classes, scoring):
    """Clusterings row by row, of which those that are none are left out."""
    declared = classes is not None
    classes, codes = encode_labels(y, classes)
    n_rows = len(codes)
    if groups is not None:
        check_groups(groups, n_rows)
    by_name, tables, reasons = {}, {}, {}
    for name, labels in clusterings.items():
        column = as_column("clusterings", labels)
        shape = (len(column),) if is_column(column) else column.shape
        if shape != (n_rows,):
            turned = "[clusterings]" if shape == () else "clusterings.T"
            raise ValueError(
                f"clusterings must have a cluster for each of the {n_rows} rows of y, "
                f"got shape {shape}: {shown(labels)}."
                + (len(clusterings) == n_rows)
                * f" Pass {turned}, with a row for each clustering."
                + hint_of_image("labels", column, n_rows)
            )
        where = f"column {name!r} of clusterings"
        names, clusters = number_clusters(column, where).present()
        by_name[name] = names, clusters.astype(np.min_scalar_type(-len(names)))
        unlabeled = np.bincount(clusters[codes < 0], minlength=len(names))
        tables[name] = names, np.bincount(clusters), unlabeled
        reasons[name] = why_no_clusters(names, n_rows)
    _check_columns(tables)
    names = _clusterings(reasons)
    return RowClusterings(
        names=names,
        classes=classes,
        declared=declared,
        labels=column_or_1d(as_labels(y)),
        codes=codes,
        groups=groups,
        clusterings=[by_name[name] for name in names],
        scoring=scoring,
    )


# Rows that select have to be the same in all tables.
_DIVIDED_TOGETHER = """clusterings must count selecting rows apart with certify={!r} \
and {} tables, since tables that are divided one by one would not be of the same rows. \
Divide their joint table, of clusters by clusters by classes, and pass a table for each \
axis, here for the first:
    selecting = np.random.default_rng().multivariate_hypergeometric(\
joint.ravel(), int(0.6 * joint.sum())).reshape(joint.shape)
    cluster_counts((joint - selecting).sum(axis=1), unlabeled, \
selecting=selecting.sum(axis=1))
Or pass certify='pac-mdl', which divides nothing, or one table."""


@dataclass(frozen=True, eq=False)
class TabledClusterings:
    """Clusterings that were counted elsewhere."""

    names: list[str]
    classes: NDArray[Any]
    tables: list[ClusterCounts]
    # Columns are of the classes that were seen, whatever their names.
    declared: bool = False
    groups: Any = None  # numbers of their rows and labeled rows, or None

    @property
    def n_labeled(self) -> int | None:
        """Number of labeled rows to divide; None if the counts are divided already."""
        is_divided = any(table.select.any() for table in self.tables)
        return None if is_divided else int(self.tables[0].labeled.sum())

    def count(self, method, goal, language, row_seed, seed):
        """Count all clusterings, of rows divided as the method needs it."""
        noise = self._places_of_noise() if goal.drops_noise else [None] * len(self.names)
        tables, divided_by = self.tables, {}
        if method.fraction and self.n_labeled is not None:
            tables, divided_by = self._divided(method, seed)
        sizes = _check_same_rows(tables, method)
        options = partial(count_options, method, goal, language=language, seed=seed)
        counted = [
            options([counts], partition=_code_of(counts), noise=place)
            for counts, place in zip(tables, noise, strict=True)
        ]
        if not method.chooses_first:
            counted = self._pooled(counted, tables, goal)
        return Counted(counted, sizes, partial(self._label, method, tables, divided_by))

    def _pooled(self, counted, tables, goal):
        return counted  # tables do not tell which of them are of equal clusterings

    def _places_of_noise(self):
        allowed = "'cluster' for cluster_counts, since these name no cluster"
        raise invalid("noise", allowed, "abstain")

    def _divided(self, method, seed):
        """The tables with selecting rows, which are drawn, and what is said of it."""
        if len(self.tables) > 1:
            raise ValueError(_DIVIDED_TOGETHER.format(method.kind, len(self.tables)))
        how = {"division": f"{method.fraction} of the labels, by seed {seed}"}
        return [self.tables[0].divided(seed, method.fraction)], how

    def _label(self, method, tables, divided_by, best, cluster_codes, candidates):
        test, classes = self._test_choice(candidates), decode(cluster_codes, self.classes)
        fields = {"cluster_classes": classes, "random_choice_test": test}
        return fields, {"subject": divided_by, **fields_of_test(test)}

    def _test_choice(self, candidates):
        """Test the choice of the labeled rows by their numbers."""
        labeled = [table.labeled for table in self.tables]
        tested = {
            name: (self.tables[i].sizes, labeled[i].sum(axis=1))
            for i, name in clusterings_to_test(candidates).items()
        }
        n_classes = len(self.classes)
        counts = labeled[0].sum(axis=0)[:n_classes] if self.declared else None
        return check_counted_choice(tested, self.groups, counts)


def _code_of(counts):
    """What stands for a partition where ties are broken."""
    # It must not depend on what only certifies, nor on its classes.
    selecting = counts.of_selecting_classes()[0].select
    return digest(np.column_stack([counts.sizes, selecting]))


def _in_tables(tables, y, groups, classes, names):
    """Tables of counts, of the same classes."""
    for name, value in {"y": y, "groups": groups}.items():
        if value is not None:
            raise invalid(name, "None where clusterings are cluster_counts", value)
    for table in tables:
        if not isinstance(table, ClusterCounts):
            raise invalid("clusterings", "all rows or all cluster_counts", table)
    n_classes = tables[0].n_classes
    classes = range(n_classes) if classes is None else classes
    array = as_array("classes", classes)
    if array.shape != (n_classes,) or len(np.unique(array.astype(str))) < n_classes:
        raise invalid("classes", f"{n_classes} different names of columns", classes)
    encode_labels(array, array)  # are they names that classes may have?
    return TabledClusterings(names=names, classes=array, tables=tables)


def _check_same_rows(tables, method):
    """Numbers of rows, which must be alike for all tables."""
    totals = {
        (tuple(t.select.sum(axis=0)), tuple(t.certify.sum(axis=0)), int(t.test.sum()))
        for t in tables
    }
    if len(totals) > 1:
        raise ValueError(
            "clusterings must count the same rows, with the same numbers of labels of "
            f"each class, got {len(totals)} different totals."
        )
    ((select, certify, n_test),) = totals
    sizes = SplitSizes(int(sum(select)), int(sum(certify)), n_test)
    selects = method.fraction > 0
    if not sizes.n_test or not sizes.n_certify or (sizes.n_select > 0) != selects:
        rows = "selecting rows" if selects else "no selecting rows"
        raise ValueError(
            f"clusterings must count unlabeled rows, certifying rows and {rows} with "
            f"certify={method.kind!r}, got {sizes.n_test}, {sizes.n_certify} and "
            f"{sizes.n_select}."
        )
    return sizes


@dataclass(frozen=True, eq=False)
class FrameClusterings(TabledClusterings):
    """Clusterings in the columns of a frame, which its engine counts."""

    cluster_names: Sequence[NDArray] = ()  # by clustering
    source: Any = None  # the frame, its columns of clusterings and labels, and its origin

    def _places_of_noise(self):
        return [*map(place_of_noise, self.cluster_names)]

    def _pooled(self, counted, tables, goal):
        """What is counted of columns; equal ones pool their weights, as in memory."""
        alike, counted = defaultdict(list), [*counted]
        for i, counts in enumerate(tables):
            cells = np.column_stack([counts.select, counts.certify, counts.test])
            alike[cells[np.lexsort(cells.T)].tobytes()].append(i)
        for places in alike.values():
            while len(places) > 1:  # only where all numbers are, clusters may be equal
                first, *others = places
                equal = self._equal(first, others, goal.drops_noise)
                of_all = counted[first]._replace(equal=(str(first).encode(),))
                for i in [first, *equal] if equal else []:
                    counted[i] = of_all
                places = [i for i in others if i not in equal]
        return counted

    def _equal(self, first, others, drops_noise):
        """Those columns that have the clusters of the first, with the same noise."""
        frame, _, _, source = self.source
        names = [self.names[i] for i in others]
        found = count_pairs(frame, names, self.names[first], source)
        equal = []
        for i, name in zip(others, names, strict=True):
            pairs = found[name]
            both = (pairs.clusters, name), (pairs.labels, self.names[first])
            (own, a), (of_first, b) = (number_clusters(*each).present() for each in both)
            noise = [place_of_noise(each) for each in (own, of_first)]
            same = np.array_equal(a == noise[0], b == noise[1])
            # Each cluster meets one of the other column: there are as many pairs.
            n_pairs = len(np.unique(np.column_stack([a, b]), axis=0))
            if n_pairs == len(own) == len(of_first) and (same or not drops_noise):
                equal.append(i)
        return equal

    def _divided(self, method, seed):
        """Make some of the labeled rows, which are fetched, selecting ones."""
        columns, labels = labeled_rows(*self.source)
        codes = [_places(*pair) for pair in zip(columns, self.cluster_names, strict=True)]
        contents = np.column_stack([*codes, class_codes(labels, self.classes)])
        contents = contents[contents[:, -1] >= 0]

        def tabulated(rows):
            tables = [np.zeros_like(counts.certify) for counts in self.tables]
            for i, table in enumerate(tables):
                np.add.at(table, (rows[:, i], rows[:, -1]), 1)
            return tables

        labeled = [counts.certify for counts in self.tables]
        if not all(map(np.array_equal, tabulated(contents), labeled)):
            raise _other_rows(f"{len(contents)} labeled rows with other counts")
        selecting = tabulated(divide_contents(contents, method, seed)[0])
        return [
            replace(counts, select=select, certify=counts.certify - select)
            for counts, select in zip(self.tables, selecting, strict=True)
        ], {}

    def _label(self, method, tables, divided_by, best, cluster_codes, candidates):
        counts = tables[best]
        first = method.chooses_first  # then selecting rows alone name clusters
        table = describe_counted_clusters(
            names=self.cluster_names[best],
            sizes=counts.sizes,
            n_unlabeled=counts.test,
            own=cluster_codes,
            counts=counts.select if first else counts.labeled,
            seen=counts.certify if first else None,
            class_names=self.classes,
            distances=no_distances,
        )
        warn_of_blind_names(table, listed_in="clusters")
        test = self._test_choice(candidates)
        tested = "not tested" if test is None else "tested by counts"
        engine = self.source[0].implementation.value
        how = (
            f"counted by {engine}; they have no fingerprints, and their choice was "
            f"{tested}"
        )
        fields = {
            "cluster_classes": table["class"],
            "cluster_columns": table,
            "random_choice_test": test,
        }
        return fields, {"subject": {"rows": how}, **fields_of_test(test)}


def _in_frame(frame, columns, y, groups, source, classes):
    """Columns of a frame, counted by its engine, of which some are no clusterings."""
    columns, pairs = _counted(frame, columns, groups, y, source)
    first = pairs[columns[0]]
    n_rows = int(first.n_rows.sum())
    names, _ = encode_labels(as_labels(first.labels), classes, first.n_rows)
    tables = {name: _table(of, name, names) for name, of in pairs.items()}
    totals = {tuple(table.sum(axis=0)) for _, table in tables.values()}
    if len(totals) > 1:
        raise _other_rows(f"{len(totals)} different numbers of rows by label")
    named = {column: tables[column] for column in columns}
    _check_columns({c: (n, t.sum(axis=1), t[:, -1]) for c, (n, t) in named.items()})
    columns = _clusterings({c: why_no_clusters(named[c][0], n_rows) for c in columns})
    by_group = None
    if groups:
        _, table = tables[groups]
        by_group = table.sum(axis=1), table[:, :-1].sum(axis=1)
    return FrameClusterings(
        names=columns,
        classes=names,
        tables=[_counts_of(named[column][1]) for column in columns],
        declared=classes is not None,
        groups=by_group,
        cluster_names=[named[column][0] for column in columns],
        source=(frame, columns, y, source),
    )


def _counts_of(table):
    """Counts from a table whose last column is of unlabeled rows."""
    certify = table[:, :-1]
    return ClusterCounts(
        sizes=table.sum(axis=1),
        select=np.zeros_like(certify),
        certify=certify,
        test=table[:, -1],
    )


def _counted(frame, columns, groups, y, source):
    """Columns that may hold clusters, and pairs of these and of the groups."""
    names = [*columns, *([groups] if groups else [])]
    pairs = count_pairs(frame, names, y, source, few=True)
    n_values = {name: of.n_clusters for name, of in pairs.items()}
    n_rows = next((int(of.n_rows.sum()) for of in pairs.values()), 0)
    large = [name for name in names if name not in pairs]
    if large:
        *of_large, n_rows = count_values(frame, large, source)
        n_values |= zip(large, of_large, strict=True)
    # Tables of such columns would be as large as the rows, so they are not counted.
    reasons = {name: why_too_many(n_values[name], n_rows, _MARKS) for name in columns}
    columns = _clusterings(reasons)
    needed = [name for name in names if name in columns or name == groups]
    pairs |= count_pairs(frame, [name for name in needed if name in large], y, source)
    return columns, {name: pairs[name] for name in needed}


def _other_rows(got):
    return ValueError(
        "clusterings must be a frame with the same rows in each computation, got "
        f"{got}. Write it to a file first."
    )


def _table(pairs, column, classes):
    """Names of clusters, and their rows by class, by label of no class, and unlabeled."""
    where = f"column {column!r} of clusterings"
    names, clusters = number_clusters(pairs.clusters, where).present()
    table = np.zeros((len(names), len(classes) + 2), dtype=np.int64)
    # The code of unlabeled rows, -1, is that of the last column.
    np.add.at(table, (clusters, class_codes(pairs.labels, classes)), pairs.n_rows)
    return names, table


def _places(column, names):
    """Index in `names` of each row's cluster; -1 if it was not there before."""
    present, codes = number_clusters(column, "clusterings").present()
    place = {name: i for i, name in enumerate(names.tolist())}
    places = [place.get(name, -1) for name in present.tolist()]
    return np.array(places, dtype=np.int64)[codes]


def divide_contents(contents, method, seed):
    """Divide labeled rows (n_labeled, n_columns) without an order or numbers.

    Rows are sorted by content, which is a part of the seed, so all engines divide alike.
    With few possible contents, the guarantee holds on average over seeds only.
    """
    rows = contents[np.lexsort(contents.T)]
    words = np.frombuffer(digest(rows), dtype=np.uint32)
    select, certify = divide(np.arange(len(rows)), method, [seed, 0, *words])
    return rows[select], rows[certify]
