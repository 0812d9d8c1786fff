"""
Finish a data set: most labels by a machine, the doubtful ones by people
========================================================================

The first fifty handwritten digits were labeled by hand, and their labels spread to
similar digits. About one in seven of the others is labeled wrongly in this way. At most
one in twenty may be wrong in the end. Which labels may stay, and which should people
check?
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from sklearn_pacmdl import FinishedLabelsDisplay, draw_audit, finish_labels
from sklearn_pacmdl.audits import plan_finish

# %%
# Labels and confidences
# ----------------------
# They may come from anywhere: a language model, clusters with names, or anything that was
# learned from the labels at hand, as here. They only have to be fixed before the audit,
# so the audit stores their fingerprints.

digits = load_digits()
hidden = np.arange(len(digits.target)) >= 50
model = LabelSpreading(kernel="knn", n_neighbors=10)
model.fit(digits.data, np.where(hidden, -1, digits.target))
labels = model.transduction_[hidden]
confidence = model.label_distributions_[hidden].max(axis=1)
truth = digits.target[hidden]

# %%
# The budget
# ----------
# People can check 250 rows. What will this give, if about 85% of the labels are right?
# This is a plan, and no guarantee.

planned = plan_finish(confidence, 250, target=0.05, expected_accuracy=0.85)
print(planned.sentence)
planned

# %%
# The audit
# ---------
# The package draws 250 rows at random, and writes them to a table that people fill in.
# Here the true labels stand for people, who label the rows in any order.

folder = TemporaryDirectory()


def people_label(sheet, name):
    sheet = sheet.sample(frac=1, random_state=0)
    sheet["label"] = truth[sheet["row"]]
    sheet.to_csv(Path(folder.name) / name, index=False)
    return Path(folder.name) / name


audit = draw_audit(len(labels), 250, labels=labels, confidence=confidence, random_state=0)
answers = audit.read_labels(people_label(audit.to_frame(), "audit.csv"))
print(f"{np.mean(labels[audit.rows] != answers):.1%} of the audited labels are wrong.")

# %%
# The doubtful rows
# -----------------
# From the errors in the audit, ``finish_labels`` computes which rows may keep their
# label. The others are for people, the most doubtful first.

finished = finish_labels(labels, confidence, audit, answers, target=0.05)
print(f"{finished.share_automatic:.0%} of the rows keep their label.")
print(f"{len(finished.to_annotators)} rows are left to people.")
finished.to_frame().head()

# %%
# Once people have labeled these rows, the data set is complete, and a certificate says
# how many of its labels are wrong.

completed = finished.complete(
    finished.read_labels(people_label(finished.to_frame(), "doubtful.csv"))
)
folder.cleanup()
print(completed.certificate.statement)
print(f"Truly, {np.mean(completed.labels != truth):.2%} of all labels are wrong now.")
print(f"Before, {np.mean(labels != truth):.2%} were.")

# %%
# Other targets
# -------------
# The staircase shows the bounds if more or fewer rows were labeled automatically, and the
# star is what is certified. The true error rates are known in this example only.

plt.rc("figure", figsize=(5, 4.8))
display = FinishedLabelsDisplay.from_finished(finished, truth)
display.ax_.set_title(
    f"{finished.share_automatic:.0%} of the labels stay, and at most\n"
    f"{finished.target:.0%} of the finished labels are wrong"
)
plt.show()

# %%
# A smaller target leaves more rows to people. Only the target that was set beforehand is
# certified.

columns = [
    "max_errors",
    "share_automatic",
    "n_to_annotators",
    "true_error_rate",
    "certified",
]
finished.at_targets([0.01, 0.02, 0.05, 0.1], y_true=truth)[columns].round(3)

# %%
# These are digits that keep their label, from the surest to the least sure. Those in a
# frame are still labeled wrongly.

automatic = np.setdiff1d(np.flatnonzero(finished.accepted), audit.rows)
automatic = automatic[np.argsort(-confidence[automatic], kind="stable")]
drawn = automatic[np.linspace(0, len(automatic) - 1, 80).round().astype(int)]
wrong = labels[drawn] != truth[drawn]
figure, axes = plt.subplots(5, 16, figsize=(5, 2.4), layout="constrained")
for ax, row, is_wrong in zip(axes.flat, drawn, wrong, strict=True):
    ax.imshow(digits.images[hidden][row], cmap="Greys")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=is_wrong, color="red", linewidth=2)
figure.suptitle(f"Of {len(drawn)} labels that stay, {wrong.sum()} are wrong (framed)")
plt.show()
