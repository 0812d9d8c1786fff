"""Benchmarks that airspeed velocity runs from commit to commit."""
