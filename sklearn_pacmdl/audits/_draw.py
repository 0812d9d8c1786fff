"""Drawing rows at random for people to label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..utils._checks import (
    check_count,
    check_integer,
    check_open_unit,
    invalid,
    is_integer,
    is_number,
    shown,
    warn,
)
from ._audit import Audit, excluded_rows, sealed
from ._audit_size import least_errors, reachable, tolerated_errors
from ._designs import no_rows
from ._pool import check_confidence, pool_of, rows_without, seed_from
from ._surest import by_confidence, n_surest, planned_share, supposed_errors


def draw_audit(
    n_rows: int,
    size: int,
    *,
    labels: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
    exclude: Audit | ArrayLike | Sequence[Audit] | None = None,
    known_labels: ArrayLike | None = None,
    surest: float | Literal["auto"] | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    allocation: str | Mapping[Any, int] = "equal",
    classes: Mapping[Any, Any] | None = None,
    target: float | None = None,
    delta: float | None = None,
    random_state: int | np.random.RandomState | None = None,
    seed_text: str | None = None,
    data: Any = None,
) -> Audit:
    """Draw rows at random, without replacement, for people to label.

    An audit certifies any labeling that was fixed before the audit was drawn: clusters,
    or labels of a classifier, a language model or people.

    Parameters
    ----------
    n_rows : int
        Number of rows of the data set, at least 2.
    size : int
        Number of rows to draw, or of ``groups``: at least 1, or the number of ``strata``,
        and fewer than there are to draw from. :func:`audit_size` and :func:`plan_finish`
        plan it.
    labels : array-like of shape (n_rows,), default=None
        The labeling to audit. The audit stores its SHA-256 digest, which proves that it
        came first, and then certifies no other. A missing value marks a row without a
        label, and so does -1 unless ``classes`` names it. Such rows are not drawn. The
        number 1 and the text "1" are the same label in all functions of the audit.
    confidence : array-like of shape (n_rows,), default=None
        How sure each label is, for :func:`finish_labels`; its digest is stored, too.
    exclude : Audit, list of Audit, or array-like of int or of shape (n_rows,) of bool, \
            default=None
        Rows that must not be drawn, because their labels helped to make the labeling. An
        Audit stands for its drawn and excluded rows. Certificates are about the others.
    known_labels : array-like of shape (n_rows,), default=None
        Earlier human labels, such as ``pilot.labels_by_row(answers)``; -1 or a missing
        value marks the other rows. Rows with a label are excluded, and all excluded rows
        must have one. :func:`finish_labels` keeps these labels, supposes that they are
        right, and counts the rows.
    surest : float or "auto", default=None
        Share of the rows, in (0, 1], to draw from: the surest ones, the first among
        equally sure ones. :func:`finish_labels` leaves the other rows to people, and its
        statement is still about all rows; any other statement is about the rows that
        could be drawn. "auto" chooses the share that is expected to spare people the most
        rows (see Notes). Requires ``confidence``.
    groups : array-like of shape (n_rows,), default=None
        The group of each row, such as its document or patient; no name is missing. Whole
        groups are drawn, and :func:`certify_labels` then assumes nothing about the rows
        of a group. Other functions refuse the audit. Not with ``confidence``.
    strata : array-like of shape (n_rows,), default=None
        The stratum of each row, such as its automatic label, of which a part of ``size``
        is drawn. Rows with -1 or a missing value are not drawn, and statements are about
        the others. :func:`certify_labels`, :func:`certify_share` and :func:`class_report`
        take strata. These narrow the bounds of a rare class, and of errors in two or
        three strata with different rates. Not with ``confidence`` or ``groups``.
    allocation : {"equal", "proportional"} or mapping of label to int, default="equal"
        How many rows of each stratum are drawn. "equal": equally many, or all if there
        are fewer. "proportional": a share of ``size`` as large as its share of the rows,
        but at least one row. A mapping has a number of rows for each stratum, whose sum
        is ``size``. Of a remainder, the largest strata (or remainders) get one row each,
        by sorted names if they are equally large.
    classes : mapping of label to label, default=None
        A name for each label, such as ``{-1: "no", 1: "yes"}``, which makes -1 a class:
        different integers, texts or booleans, none of them -1. All results have them, and
        people may give either the labels or the names. The audit stores the names, since
        classes must not be renamed after people have labeled rows.
    target, delta : float, default=None
        Target and delta of the later call of :func:`finish_labels`, each in (0, 1), if
        already fixed. The share is then planned for them, and others are refused there.
        Requires ``confidence``.
    random_state : int or RandomState instance, default=None
        Seed, from 0 to 2**128 - 1, which the audit stores; by default from the system.
    seed_text : str, default=None
        A text of 1 to 200 characters that the seed follows from, in place of
        ``random_state``. The audit stores it, and certificates state it. If its source,
        such as lottery numbers, is named before it can be known, nobody can try several
        seeds.
    data : data frame of n_rows rows, or mapping of str to str, default=None
        The columns that annotators will see, such as ``table[["text"]]``. The audit and
        its certificates store a SHA-256 digest of each, by which ``verify`` detects texts
        that were exchanged. A second audit of the same data may take ``columns`` of the
        first.

    Returns
    -------
    audit : Audit
        The drawn rows, in drawing order.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or both ``random_state`` and ``seed_text`` are
        given. If the seed is that of an audit in ``exclude``, or ``surest`` leaves no
        more rows than are to be drawn. If -1 may be a class, because all other labels are
        the same.

    Warns
    -----
    UserWarning
        If ``labels`` holds -1 without a name in ``classes``, rows without a label, labels
        in two spellings, or labels that may stand for a missing one.

    See Also
    --------
    plan_finish : Tells what an audit can give, and plans the share by a pilot, too.
    sklearn.utils.random.sample_without_replacement : Draws rows, without a record.

    Notes
    -----
    Rows are drawn by :class:`numpy.random.RandomState`, whose stream is frozen: any
    version of NumPy repeats the drawing. Except with strata, a smaller audit with the
    same seed has the first rows of a larger one.

    Do not choose a seed because of its result, and fix the labels before the seed is
    known: it tells which rows will be checked. With ``seed_text``, publish
    :func:`~sklearn_pacmdl.certificates.fingerprint_labels` of the labels with the source
    of the text. The seed is the first 128 bits of its SHA-256 digest in UTF-8.

    ``surest="auto"`` compares shares of 5%, 10% and so on, for a ``target`` of 0.05 and a
    ``delta`` of 0.1 by default. All rows are taken unless a smaller share is expected to
    spare 5% more. Confidences in [0, 1] with a mean of at least 0.8 are supposed to be
    probabilities. Otherwise, error rates are supposed to grow with the fourth power of
    the rank, from 0 for the surest row to 1. If this is wrong, it costs rows, and no
    statement is wrong; see :doc:`/theory`.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import draw_audit
    >>> draw_audit(1000, 5, random_state=0).rows
    array([769, 535, 450, 688, 387])
    """
    n_rows = check_count("n_rows", n_rows, 2)
    by_row: dict[str, Any] = {"labels": labels, "confidence": confidence}
    by_row |= {"groups": groups, "strata": strata, "known_labels": known_labels}
    excluded, earlier = excluded_rows(exclude, n_rows)
    can = pool_of(n_rows, (exclude, excluded), by_row, classes, data, allocation)
    size = _size(size, can.design.limits(can.rows, strata if groups is None else groups))
    if isinstance(allocation, Mapping) and size != sum(allocation.values()):
        allowed = f"{sum(allocation.values())}, the sum of allocation"
        raise invalid("size", allowed, size)
    target = None if target is None else check_open_unit("target", target)
    delta = None if delta is None else check_open_unit("delta", delta)
    if confidence is not None:
        can.design.refuse("confidence", confidence)
    elif any(value is not None for value in (surest, target, delta)):
        raise invalid("confidence", "given with surest, target or delta", confidence)
    doubtful = no_rows()
    if confidence is not None and surest is not None:
        numbers = check_confidence(confidence, n_rows)
        n_pool = _n_pool(surest, numbers[can.rows], size, target, delta)
        doubtful = np.sort(by_confidence(numbers, can.rows)[n_pool:])
    seed = seed_from(random_state, seed_text)
    _check_seed(seed, earlier, seed_text)
    audit = Audit(
        rows=can.design.draw(seed, rows_without(can.rows, doubtful), size),
        seed=seed,
        seed_text=seed_text,
        doubtful=np.union1d(doubtful, can.of_none),
        target=target,
        delta=delta,
        **can.fields,
    )
    _warn_out_of_reach(audit)
    return sealed(audit)


def _size(size: Any, limits: tuple[int, int]) -> int:
    low, high = limits
    if is_integer(size) and size > high:
        what = f"size must be an integer from {low} to {high}, got {shown(size)}"
        raise ValueError(f"{what}. Where people label all rows, count the wrong labels.")
    return check_integer("size", size, low, high)


def _warn_out_of_reach(audit: Audit) -> None:
    """Warn of a target that the numbers of rows alone rule out."""
    if audit.target is None:
        return
    n_rows, delta = len(audit.not_excluded), audit.delta or 0.1
    errors = least_errors(audit.size, len(audit.pool) - audit.size, delta)
    if errors > tolerated_errors(n_rows, audit.target):
        warn(
            f"An audit of {audit.size} of {n_rows} rows is too small for "
            f"target={audit.target} and delta={delta}, even if no audited row is wrong: "
            f"{reachable(errors, n_rows)}."
        )


def _n_pool(surest, confidence, size, target, delta) -> int:
    """How many of the surest rows the audit is drawn from."""
    if isinstance(surest, str) and surest == "auto":
        errors = supposed_errors(np.sort(confidence)[::-1])
        surest, _ = planned_share(errors, size, target or 0.05, delta or 0.1)
    if not is_number(surest) or not 0 < surest <= 1:
        raise invalid("surest", 'None, "auto" or a share in (0, 1]', surest)
    n_pool = n_surest(len(confidence), surest)
    if n_pool <= size:
        what = f"surest must leave more than the {size} rows of size"
        raise ValueError(f"{what}, got {shown(surest)}: {n_pool} rows.")
    return n_pool


def _check_seed(seed, earlier: list[Audit], seed_text) -> None:
    """Refuse the seed of an earlier audit."""
    for audit in earlier:
        if not audit.verify(n_rows=audit.n_rows):
            raise invalid("exclude", "audits as they were drawn", earlier)
        if audit.seed == seed:
            name, got = "random_state", seed
            if seed_text is not None:
                name, got = "seed_text", seed_text
            raise ValueError(
                f"{name} must not be the seed of an audit in exclude, got {shown(got)}: "
                "a drawing cannot be used twice."
            )
