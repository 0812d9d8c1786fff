"""Where labelings come from: rows in memory, tables of counts, or a frame's engine.

Each of these sources counts its labelings, and says what holds of the chosen one.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..certificates import fingerprint_certifying, fingerprint_labels
from ..columns import (
    as_column,
    as_labels,
    completed,
    decode,
    encode_labels,
    frame_columns,
    is_column,
    number_clusters,
    open_frame,
    place_of_noise,
    why_made_of_labels,
    why_no_labeling,
)
from ..estimators import is_frame, refuse_annotated
from ..labeling import describe_clusters, describe_counted_clusters, warn_of_blind_names
from ..random_choice import (
    check_counted_choice,
    check_groups,
    check_random_choice,
    fields_of_test,
    partitions_to_test,
)
from ..utils._checks import (
    as_array,
    as_mask,
    hint_of_image,
    invalid,
    is_iterable,
    shown,
)
from ._counting import Assessment, SplitSizes, digest, divide
from ._counts import ClusterCounts, no_distances
from ._frames import (
    check_columns,
    check_unlabeled,
    choose_columns,
    count_frame,
    divide_frame,
    labelings_of,
)
from ._goals import count_options


def read_sources(labelings, y, classes, columns, groups):
    """Names of the labelings, and what counts them."""
    frame = open_frame(labelings)
    if frame is not None:
        names = choose_columns(labelings_of(frame, y, groups, labelings), columns)
        return names, FrameLabelings(frame, names, y, groups, labelings, classes)
    given, y, groups = _named(labelings, y, groups)
    names = choose_columns(list(given), columns)
    given = {name: given[name] for name in names}
    if any(isinstance(counts, ClusterCounts) for counts in given.values()):
        return names, TabledLabelings(list(given.values()), y, groups, classes)
    return names, RowLabelings(given, y, groups, classes)


def _named(labelings, y, groups):
    """Labelings by name, the labels and the groups."""
    refuse_annotated(
        "labelings", labelings, "its .obs, and columns= to choose its columns"
    )
    if isinstance(labelings, ClusterCounts):
        labelings = [labelings]
    if is_frame(labelings):
        if not hasattr(labelings, "columns"):
            allowed = "a data frame, or a dict or list of labelings, be it of one"
            raise invalid("labelings", allowed, labelings)
        columns = [(str(name), column) for name, column in frame_columns(labelings)]
        columns, y = _without(columns, "y", y)
        columns, groups = _without(columns, "groups", groups)
    elif isinstance(labelings, Mapping):
        columns = [(str(name), column) for name, column in labelings.items()]
    else:
        if hasattr(labelings, "shape"):
            labelings = as_column("labelings", labelings)
        given = labelings if is_iterable(labelings) else []
        columns = [(str(i), column) for i, column in enumerate(given)]
    if not columns:
        raise invalid("labelings", "one or more labelings of rows", labelings)
    if len(dict(columns)) < len(columns):
        names = [name for name, _ in columns]
        raise invalid("The names of labelings", "different as text", names)
    return dict(columns), y, groups


def _without(columns, parameter, value):
    """The columns without the one that a parameter names, and what it stands for."""
    if not isinstance(value, str):
        return columns, value
    own = [column for name, column in columns if name == value]
    if len(own) != 1:
        names = [name for name, _ in columns]
        allowed = f"the name of a column of labelings, one of {names}"
        raise invalid(parameter, allowed, value)
    return [(name, column) for name, column in columns if name != value], own[0]


class RowLabelings:
    """Labelings that are given row by row."""

    def __init__(self, labelings, y, groups, classes):
        if y is None:
            raise ValueError(
                "y must hold the labels of the rows, unless labelings are ClusterCounts; "
                "got None."
            )
        self.declared = classes is not None
        self.classes, codes = encode_labels(y, classes)
        self.labels = column_or_1d(as_labels(y))
        self.codes = codes
        self.groups = groups
        if groups is not None:
            check_groups(groups, len(codes))
        self.labelings = [
            _cluster_codes(labels, len(codes), len(labelings))
            for labels in labelings.values()
        ]
        reasons = [
            why_no_labeling(names, len(codes))
            or why_made_of_labels(
                names,
                np.bincount(clusters),
                np.bincount(clusters[codes < 0], minlength=len(names)),
            )
            for names, clusters in self.labelings
        ]
        check_columns(list(labelings), reasons)
        check_unlabeled(np.sum(codes < 0))

    def n_labeled(self):
        """Number of labeled rows, which is known before any label is seen."""
        return int(np.sum(self.codes >= 0))

    def count(self, strategy, goal, language, seed):
        """Divide the labeled rows, and count all labelings."""
        labeled = np.flatnonzero(self.codes >= 0)
        unlabeled = np.flatnonzero(self.codes < 0)
        self.assessment = Assessment(
            strategy=strategy,
            goal=goal,
            language=language,
            order=np.arange(len(self.codes)),
            codes=self.codes,
            n_classes=len(self.classes),
            splits=[(labeled, unlabeled)],
            divisions=[divide(labeled, strategy, [seed, 0])],
            seed=seed,
        )
        (self.sizes,) = self.assessment.sizes
        # Noise is called -1 again, as clusterers do.
        return [
            self.assessment.count(np.where(codes == place_of_noise(names), -1, codes))
            for names, codes in self.labelings
        ]

    def label(self, best, given, candidates):
        """Classes of rows and clusters, and what a certificate records of them."""
        assessment, classes = self.assessment, self.classes
        names, clusters = self.labelings[best]
        codes = given[assessment.partition(clusters).clusters]
        transduction = decode(codes, classes)
        tested = {
            name: self.labelings[i][1]
            for i, name in partitions_to_test(candidates).items()
        }
        n_declared = len(classes) if self.declared else None
        test = check_random_choice(assessment.codes, tested, self.groups, n_declared)
        naming, certifying = assessment.naming(0)
        table = describe_clusters(
            clusters, assessment.codes, codes, naming, certifying, classes, no_distances
        )
        warn_of_blind_names(table, listed_in="clusters", stacklevel=3)
        found = {
            "transduction": transduction,
            "completed_y": completed(self.labels, transduction, classes),
            "random_choice_test": test,
            "division": assessment.divisions[0],
            "cluster_classes": table["class"],
            "cluster_columns": table | {"cluster": names},
        }
        digests = {
            "labels": fingerprint_labels(self.labels, classes),
            "labeling": fingerprint_labels(transduction, classes),
        }
        select, certify = assessment.divisions[0]
        if len(select):
            certifies = as_mask("certifying", certify, len(codes))
            digests["certifying"] = fingerprint_certifying(certifies)
        return found, {**fields_of_test(test), "fingerprints": digests}


class TabledLabelings:
    """Labelings that were counted elsewhere."""

    def __init__(self, tables, y, groups, classes):
        for name, value in {"y": y, "groups": groups}.items():
            if value is not None:
                raise invalid(name, "None where labelings are ClusterCounts", value)
        self.tables, self.groups = tables, None
        # Columns are of the classes that were seen, whatever their names.
        self.declared = False
        for table in tables:
            if not isinstance(table, ClusterCounts):
                raise invalid("labelings", "all rows or all ClusterCounts", table)
            table.check()
        n_classes = tables[0].n_classes
        classes = range(n_classes) if classes is None else classes
        self.classes = as_array("classes", classes)
        distinct = len(np.unique(self.classes.astype(str)))
        if self.classes.shape != (n_classes,) or distinct < n_classes:
            raise invalid("classes", f"{n_classes} different names of columns", classes)
        encode_labels(self.classes, self.classes)  # are they names that classes may have?

    def n_labeled(self):
        """Number of labeled rows that can be divided; None where they are already."""
        return None if any(table.select.any() for table in self.tables) else 0

    def count(self, strategy, goal, language, seed):
        """Count all labelings, of rows divided as the way to certify needs it."""
        noise = self._noise() if goal.drops_noise else [None] * len(self.tables)
        self.strategy, self.sizes = strategy, _check_same_rows(self.tables, strategy)
        counted = []
        for counts, place in zip(self.tables, noise, strict=True):
            # Ties must not be broken by what only certifies, nor by its classes.
            selecting = counts.of_selecting_classes()[0].select
            known = digest(np.column_stack([counts.sizes, selecting]))
            own = count_options(strategy, goal, [counts], language, seed, known, place)
            counted.append(own)
        return counted

    def _noise(self):
        """Places of the clusters of noise, which counts do not tell."""
        allowed = "'cluster' where labelings are ClusterCounts, which name no cluster"
        raise invalid("noise", allowed, "abstain")

    def label(self, best, given, candidates):
        test, classes = self._test_choice(candidates), decode(given, self.classes)
        found = {"cluster_classes": classes, "random_choice_test": test}
        return found, fields_of_test(test)

    def _test_choice(self, candidates):
        """Test the choice of the labeled rows by their numbers."""
        labeled = [table.labeled for table in self.tables]
        tested = {
            name: (self.tables[i].sizes, labeled[i].sum(axis=1))
            for i, name in partitions_to_test(candidates).items()
        }
        n_classes = len(self.classes)
        counts = labeled[0].sum(axis=0)[:n_classes] if self.declared else None
        return check_counted_choice(tested, self.groups, counts)


class FrameLabelings(TabledLabelings):
    """Labelings in the columns of a frame, which its engine counts."""

    def __init__(self, frame, names, y, groups, source, classes):
        self.counted = count_frame(frame, names, y, groups, source, classes)
        super().__init__(self.counted.counts, None, None, self.counted.classes)
        self.groups, self.declared = self.counted.groups, classes is not None
        self.asked = frame, names, y, source

    def n_labeled(self):
        """Number of labeled rows, which is known before any label is looked at."""
        return int(self.tables[0].labeled.sum())

    def count(self, strategy, goal, language, seed):
        """Divide the labeled rows, if the way to certify needs that, and count."""
        self.tables = divide_frame(self.counted, *self.asked, strategy, seed)
        return super().count(strategy, goal, language, seed)

    def _noise(self):
        return [place_of_noise(names) for names in self.counted.cluster_names]

    def label(self, best, given, candidates):
        counts = self.tables[best]
        first = self.strategy.chooses_first  # then selecting rows alone name clusters
        table = describe_counted_clusters(
            names=self.counted.cluster_names[best],
            sizes=counts.sizes,
            n_unlabeled=counts.test,
            own=given,
            counts=counts.select if first else counts.labeled,
            seen=counts.certify if first else None,
            class_names=self.classes,
            distances=no_distances,
        )
        warn_of_blind_names(table, listed_in="clusters", stacklevel=3)
        test = self._test_choice(candidates)
        tested = "not tested" if test is None else "tested by counts"
        how = (
            f"counted by {self.counted.engine}; they have no fingerprints, and their "
            f"choice was {tested}"
        )
        found = {
            "cluster_classes": table["class"],
            "cluster_columns": table,
            "random_choice_test": test,
        }
        return found, {"subject": {"rows": how}, **fields_of_test(test)}


def _check_same_rows(tables, strategy):
    """Numbers of rows, which must be alike for all tables."""
    totals = {
        (tuple(t.select.sum(axis=0)), tuple(t.certify.sum(axis=0)), int(t.test.sum()))
        for t in tables
    }
    if len(totals) > 1:
        raise ValueError(
            "labelings must count the same rows, with the same numbers of labels of each "
            f"class, got {len(totals)} different totals."
        )
    ((select, certify, n_test),) = totals
    sizes = SplitSizes(int(sum(select)), int(sum(certify)), n_test)
    selects = strategy.fraction > 0
    if not sizes.n_test or not sizes.n_certify or (sizes.n_select > 0) != selects:
        rows = "selecting rows" if selects else "no selecting rows"
        raise ValueError(
            f"labelings must count unlabeled rows, certifying rows and {rows} with "
            f"certify={strategy.kind!r}, got {sizes.n_test}, {sizes.n_certify} and "
            f"{sizes.n_select}."
        )
    return sizes


def _cluster_codes(labels: Any, n_samples: int, n_labelings: int):
    """Names of clusters, and the index of the name of each row."""
    column = as_column("labelings", labels)
    shape = (len(column),) if is_column(column) else column.shape
    if shape != (n_samples,):
        raise ValueError(
            f"labelings must have a cluster for each of the {n_samples} rows of y, got "
            f"shape {shape}: {shown(labels)}."
            + (n_labelings == n_samples)
            * " Pass labelings.T, with a row for each labeling."
            + hint_of_image("labels", column, n_samples)
        )
    return number_clusters(column, "labelings").present()
