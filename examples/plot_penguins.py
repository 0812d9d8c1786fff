"""
Penguins whose species is unknown
=================================

A table describes 344 penguins by numbers and text, with gaps. Biologists identified the
species of 172 of them, drawn at random. Of which species are the others?
"""

import matplotlib.pyplot as plt
from palmerpenguins import load_penguins
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_pacmdl import PACMDLSearchCV, draw_audit

birds = load_penguins()
published = birds.pop("species")
drawn = draw_audit(len(birds), 172, random_state=0)
species = published.where(birds.index.isin(drawn.rows))  # the others are missing
species.value_counts(dropna=False)

# %%
# Gaps are filled, numbers are scaled and text is encoded within the search, where no step
# receives the species. Up to 20 numbers of clusters are tried for each clusterer.

columns = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
features = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), columns),
    (OneHotEncoder(sparse_output=False), ["island", "sex"]),
)
models = [("Ward", AgglomerativeClustering()), ("k-means", KMeans())]
search = PACMDLSearchCV(
    [(name, make_pipeline(features, model)) for name, model in models], random_state=0
).fit(birds, species)
print(search.certificate_.statement)

# %%
# Gray birds above have no species. Below they have that of their cluster.
# The published table has all species, so the wrong ones can be circled. Two
# birds, one of them wrong, have no measurements and are not drawn.

figure, axes = plt.subplots(2, 1, figsize=(5, 7), sharex=True, layout="constrained")
x, y = birds["bill_length_mm"], birds["bill_depth_mm"]
axes[0].scatter(x, y, s=12, color="0.7", label="unknown")
for ax, column in zip(axes, (species, search.completed_y_), strict=True):
    for name, mark in zip(search.classes_, "o^s", strict=True):
        label = name if ax is axes[1] else None
        ax.scatter(x[column == name], y[column == name], 16, marker=mark, label=label)
    ax.set_ylabel("depth of the bill (mm)")
axes[1].set_xlabel("length of the bill (mm)")
known = species.notna()
axes[0].set_title(f"Biologists identified {known.sum()} of {len(birds)} birds")
wrong = search.completed_y_ != published
circles = {"facecolors": "none", "edgecolors": "red", "label": "wrong"}
axes[1].scatter(x[wrong], y[wrong], s=80, **circles)
certificate = search.certificate_
most, n = certificate.max_test_errors, certificate.n_test
axes[1].set_title(f"Filled in: at most {most} of the other {n} are wrong")
figure.legend(loc="outside lower center", ncols=3)
plt.show()
