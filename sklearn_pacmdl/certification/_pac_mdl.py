"""All labels choose, label and certify, and the choice is paid for in bits."""

from dataclasses import dataclass

from ._naming import label_weight, majority
from ._strategy import Strategy


@dataclass(frozen=True)
class PacMdl(Strategy):
    """All labels certify; the language says what the choice and the labels cost."""

    fraction: float = 0.0
    kind = "pac-mdl"
    pays_for_labels = True

    def labelings(self, counts, accepted, language, rng):
        classes = majority(counts, counts.certify, rng)
        yield classes, {"label": label_weight(language, counts, classes, accepted)}
