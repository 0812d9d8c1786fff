"""
Audit the labels of a model, class by class
===========================================

A model has labeled 20,000 rows, and nobody knows how well. People check 600 rows that
the package draws at random. How many of all labels are wrong, and which classes are good
enough?
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_pacmdl import certify_labels, draw_audit
from sklearn_pacmdl.audits import class_report

# %%
# Labels of a model
# -----------------
# We make up a model that confuses each class with others, some classes more often. You
# would take the labels of your own model: a classifier, clusters with names, or a
# language model.

rng = np.random.RandomState(0)
classes = np.array(["invoice", "letter", "memo", "report", "rare"])
true_codes = rng.choice(5, size=20_000, p=[0.4, 0.3, 0.18, 0.1, 0.02])
confused = rng.uniform(size=20_000) < np.take([0.03, 0.08, 0.05, 0.15, 0.3], true_codes)
others = (true_codes + rng.randint(1, 5, size=20_000)) % 5
truth = classes[true_codes]
labels = classes[np.where(confused, others, true_codes)]

# %%
# The audit
# ---------
# The labels are fixed, and then the package draws the rows that people look at. One
# sentence says how many of all labels are wrong, whatever the model is.

audit = draw_audit(len(labels), 600, labels=labels, random_state=0)
answers = truth[audit.rows]  # people look at these rows
print(certify_labels(labels, audit, answers).statement)
print(f"The true error rate is {np.mean(labels != truth):.2%}.")

# %%
# Every class
# -----------
# A report adds lower bounds of precision, recall and F1 for each class. All of these hold
# at once.

report = class_report(labels, audit, answers)
report

# %%
# The bars reach from the lower bound of each class to 1, and the dots are the true
# values, which only this example knows. Class "rare" has few audited rows, so its
# bounds are low. To raise them, check more of its rows.

table = report.to_frame()
figure, axes = plt.subplots(1, 2, figsize=(5, 3.8), sharey=True, layout="constrained")
for ax, score in zip(axes, ("precision", "recall"), strict=True):
    of = labels if score == "precision" else truth
    true = [np.mean((labels == truth)[of == name]) for name in table.index]
    low = table[f"{score}_lower_bound"]
    ax.barh(table.index, 1 - low, left=low, alpha=0.4, label="certified range")
    ax.plot(true, table.index, "o", color="tab:red", label="true value")
    ax.set(xlabel=score.capitalize(), xlim=(0.3, 1.02))
axes[0].invert_yaxis()
lowest = table[["precision_lower_bound", "recall_lower_bound"]].min(axis=1)
worst = lowest.idxmin()
least = int(100 * lowest.drop(worst).min())  # rounded down
figure.suptitle(f"All classes but “{worst}” are certified above {least}%")
figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()
