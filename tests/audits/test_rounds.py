"""More labels, or other ones: what is still valid, and the page that says so."""

import re
from pathlib import Path

import numpy as np
from scipy.stats import binom

from sklearn_pacmdl.audits import certify_labels, draw_audit

PAGE = Path(__file__).parents[2] / "doc" / "more_labels.md"


def errors_stated(certificate):
    return int(re.search(r"at most (\d+) of all", certificate.claim)[1])


def test_python_of_the_page():
    rng = np.random.RandomState(0)
    truth = rng.randint(3, size=2000)
    labels = np.where(rng.uniform(size=2000) < 0.7, truth, 0)
    namespace = {"labels": labels, "ask": truth.__getitem__}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S)
    for block in blocks:
        exec(block, namespace)
    search = namespace["search"]
    assert f"search.best_bound_  # {search.best_bound_:.1%}\n" in PAGE.read_text()
    assert f"target=0.07)  # {search.labels_needed(0.07)}\n" in PAGE.read_text()
    assert namespace["final"].n_train + namespace["final"].n_test == 1700


def test_what_learned_from_an_audit_needs_another():
    """A machine corrects what was found; if that was little, it spoils other rows."""
    n_rows, n_draws, delta = 1000, 250, 0.2
    rng = np.random.RandomState(0)
    truth = np.arange(n_rows) % 2
    labels = np.where(np.arange(n_rows) < 100, 1 - truth, truth)
    wrong = {"next round": 0, "control": 0}
    for _ in range(n_draws):
        first = draw_audit(n_rows, 100, random_state=rng)
        old = certify_labels(labels, first, truth[first.rows], delta=delta)
        new = labels.copy()
        new[first.rows] = truth[first.rows]
        if old.n_train_errors < 10:
            new[rng.permutation(first.pool)[:20]] ^= 1
        second = draw_audit(n_rows, 100, exclude=first, random_state=rng)
        certificates = {
            "next round": certify_labels(new, second, truth[second.rows], delta=delta),
            "control": certify_labels(new, first, truth[first.rows], delta=delta),
        }
        for name, certificate in certificates.items():
            pool = second.pool if name == "next round" else first.pool
            n_wrong = np.sum(new[pool] != truth[pool])
            wrong[name] += n_wrong > errors_stated(certificate)
    most = binom.ppf(1 - 1e-6, n_draws, delta)
    assert 0.02 * n_draws < wrong["next round"] <= most
    assert wrong["control"] > 0.9 * n_draws
