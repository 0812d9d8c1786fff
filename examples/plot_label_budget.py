"""
How many documents to label
===========================

Fifty thousand documents have been grouped into twenty clusters, and each cluster is to
receive one of six topics as its name. Labels cost money. How many documents must be read
so that a certificate states that at most one in ten of the others has the wrong name?
"""

import matplotlib.pyplot as plt
import pandas as pd

from sklearn_pacmdl import LabelBudgetDisplay, labels_needed

n_documents, question = 50_000, {"target": 0.1, "n_classes": 6}
expected_errors = [0.0, 0.05, 0.08]
clusterings = {
    "sizes are known": {"cluster_sizes": [2_500] * 20},
    "only their number is known": {"n_clusters": 20},
}

# %%
# The answer depends on how well the clusters fit the topics. This is not known yet, so we
# try several expected error rates. It also depends on what is known of the clusters:
# their sizes, or only their number. Each answer is planned to be enough in one case out
# of two, and the number in brackets in nine out of ten. These are plans and not
# guarantees.


def answer(expected_error, clustering):
    numbers = [
        labels_needed(
            n_documents,
            expected_error=expected_error,
            quantile=quantile,
            **question,
            **clustering,
        )
        for quantile in (0.5, 0.9)
    ]
    return "{:,} ({:,})".format(*numbers)


pd.DataFrame(
    {
        name: {f"{error:.0%}": answer(error, known) for error in expected_errors}
        for name, known in clusterings.items()
    }
).rename_axis("expected error rate")

# %%
# The curves show the bound that any number of labels is expected to give, if the sizes
# are known. The closer the expected error rate is to the target, the more labels are
# needed. With few labels, clusters often get a wrong name, and the plans account for
# this.

plt.rc("figure", figsize=(5, 4.4))
display = LabelBudgetDisplay.from_parameters(
    n_documents,
    expected_error=expected_errors,
    **question,
    **clusterings["sizes are known"],
)
easy, *_, hard = display.needed.values()
display.ax_.set_title(
    f"At most {display.target:.0%} wrong: {easy:,} labels for clusters\n"
    f"without errors, {hard:,} if {expected_errors[-1]:.0%} are wrong"
)
plt.show()
