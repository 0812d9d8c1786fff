"""Checks and helpers that all rooms share."""
