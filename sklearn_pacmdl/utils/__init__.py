"""Validation shared by all rooms."""
