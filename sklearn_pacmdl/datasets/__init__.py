"""Generators of synthetic data with known clusters."""

from ._distributions import make_vmf_blobs
from ._whissell_clarke import (
    make_elongated_gaussians,
    make_paired_gaussians,
    make_rings,
    make_separated_gaussians,
    make_uniform_boxes,
)

__all__ = [
    "make_elongated_gaussians",
    "make_paired_gaussians",
    "make_rings",
    "make_separated_gaussians",
    "make_uniform_boxes",
    "make_vmf_blobs",
]
