"""
Audit a map field by field
==========================

A map says which crop grows on each pixel of an image. To check it, somebody drives to
fields, and sees the crop on all pixels of a field at once. The pixels of a field are
often wrong together, so they are no random sample of pixels. How wrong is the map?
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

from sklearn_pacmdl import certify_labels, draw_audit
from sklearn_pacmdl.bounds import total_upper_bound

# %%
# Image and map
# -------------
# An image of 90 by 90 pixels has 400 fields, and four crops grow there. In three bands,
# each field looks a little different from others with the same crop. A classifier that
# knows 80 fields from last year makes the map.

side, n_fields = 90, 400
rng = np.random.RandomState(0)
pixels = np.stack(np.divmod(np.arange(side**2), side), axis=1)
field = cdist(pixels, rng.uniform(0, side, (n_fields, 2))).argmin(axis=1)
crops = np.array(["barley", "maize", "rye", "wheat"])
crop = rng.randint(4, size=n_fields)
colors = rng.normal(size=(4, 3))[crop] + rng.normal(scale=0.35, size=(n_fields, 3))
image = colors[field] + rng.normal(scale=0.06, size=(side**2, 3))
truth = crops[crop[field]]

known = field < 80
model = KNeighborsClassifier(15).fit(image[known], truth[known])
labels = model.predict(image)

# %%
# An audit of whole fields
# ------------------------
# The package draws 100 of the other 320 fields. ``groups`` says which pixels belong
# together, and ``exclude`` leaves out the fields that the classifier has learned.

audit = draw_audit(
    len(labels), 100, labels=labels, groups=field, exclude=known, random_state=0
)
answers = truth[audit.rows]  # somebody visits these fields
certificate = certify_labels(labels, audit, answers)
print(certificate.statement)
print(f"Truly, {np.mean((labels != truth)[~known]):.1%} of these pixels are wrong.")

# %%
# Visited fields have a strong color, and red pixels are wrong. Many of them fill a field
# or most of it.

wrong = labels != truth
visited = np.isin(np.arange(side**2), audit.rows)
shades = {
    "known before": "white",
    "right, not visited": "#c6dbef",
    "wrong, not visited": "#fc9272",
    "right, visited": "#3182bd",
    "wrong, visited": "#99000d",
}
kinds = np.where(known, 0, 1 + wrong + 2 * visited).reshape(side, side)
of_field = np.sort(np.bincount(field[wrong & ~known], minlength=n_fields))[::-1]
n_most = np.searchsorted(np.cumsum(of_field), 0.9 * of_field.sum()) + 1

figure, ax = plt.subplots(figsize=(5, 5.8), layout="constrained")
ax.imshow(kinds, cmap=ListedColormap(list(shades.values())), vmin=0, vmax=4)
ax.set_title(f"90% of the wrong pixels lie in\n{n_most} of {n_fields - 80} fields")
ax.axis("off")
patches = [Patch(facecolor=shade, edgecolor="0.5") for shade in shades.values()]
figure.legend(patches, list(shades), loc="outside lower center", ncols=2)
plt.show()

# %%
# What a bound for single pixels would say
# ----------------------------------------
# It treats hundreds of pixels of 100 fields as that many independent looks, states a much
# smaller number, and is often wrong. Here both bounds are computed for 300 other audits.

n_rows, n_wrong = int(np.sum(~known)), int(np.sum(wrong & ~known))
shares = []
for seed in range(300):
    again = draw_audit(len(labels), 100, groups=field, exclude=known, random_state=seed)
    found = int(np.sum(wrong[again.rows]))
    of_groups = certify_labels(labels, again, truth[again.rows])
    most = total_upper_bound(found, again.size, n_rows, 0.1)
    shares.append([found + of_groups.max_test_errors, most])
for name, bounds in zip(["fields", "single pixels"], np.transpose(shares), strict=True):
    rate, failed = np.mean(bounds) / n_rows, np.mean(bounds < n_wrong)
    print(
        f"Bound for {name}: {rate:.1%} on average, wrong in {failed:.0%} of the audits."
    )

# %%
# Both were asked to be wrong in at most 10 % of the audits. To certify a smaller rate,
# draw more fields, or draw single pixels if a visit to each of them can be afforded.
