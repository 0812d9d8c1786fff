"""Levels of tests, where more than one room has to know them."""

# A convention: one random choice of rows in a thousand is called suspicious. It was 0.7
# in a thousand of 20,000 choices (benchmarks/results/random_choice.json).
SUSPICIOUS = 0.001
