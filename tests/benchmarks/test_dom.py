"""Dom's family against its definition, case by case."""

import numpy as np
import pytest
from tables_dom import joint_distribution

from sklearn_pacmdl import metrics


@pytest.mark.parametrize("n_useful", range(1, 12))
@pytest.mark.parametrize("n_noise", [1, 3])
def test_marginals(n_useful, n_noise):
    e1, e2, n_classes = 0.2, 0.1, 5
    p = joint_distribution(n_useful, n_noise, e1, e2, n_classes)
    assert p.shape == (n_classes, n_useful + n_noise)
    np.testing.assert_allclose(p.sum(axis=1), 1 / n_classes)
    np.testing.assert_allclose(p[:, n_useful:], e2 / n_noise / n_classes)
    if n_useful == 1:
        np.testing.assert_allclose(p[:, 0], (1 - e2) / n_classes)
        return
    own = p[:, :n_useful] > 1.5 * p[:, :n_useful].min()  # clusters it is at home in
    counts = own.sum(axis=0) if n_useful < n_classes else own.sum(axis=1)
    assert counts.sum() == max(n_useful, n_classes)
    assert counts.max() - counts.min() <= 1
    assert np.all(np.diff(counts) <= 0)
    strayed = np.where(own, 0, p[:, :n_useful]).sum(axis=1)
    np.testing.assert_allclose(strayed, e1 / n_classes)


def test_table_5_of_dom():
    """Failures of P3, more noise clusters are worse, over 120 sequences."""
    failures = {"hubert_gamma_score": 0, "normalized_hamming_score": 0, "dom_q2_score": 0}
    for k_u in range(2, 12):
        for e1 in (0, 0.2 / 3, 0.4 / 3, 0.2):
            for e2 in (0.1, 0.2, 0.3):
                tables = [
                    500 * joint_distribution(k_u, k_n, e1, e2) for k_n in range(1, 7)
                ]
                for name in failures:
                    values = [
                        getattr(metrics, name)(contingency=table) for table in tables
                    ]
                    failures[name] += bool(np.any(np.diff(values) >= -1e-12))
    assert list(failures.values()) == [120, 120, 0]
