"""What exit codes mean: one table for all commands."""

HOLDS, DOES_NOT_HOLD, BAD_INPUT, UNDECIDED, CANNOT_SUCCEED, INTERRUPTED = *range(5), 130

MEANINGS = {
    HOLDS: "it holds, or is done",
    DOES_NOT_HOLD: "it does not hold: a rate above --at-most, an audit that is too small "
    "for --target, a certificate that does not agree",
    BAD_INPUT: "bad input, such as a file that cannot be read",
    UNDECIDED: "undecided: an audit that goes on, a certificate whose labels "
    "were not compared",
    CANNOT_SUCCEED: "an audit that cannot succeed any more",
    INTERRUPTED: "interrupted by Ctrl-C",
}
# Of what commands return.
CODES = {
    "certified": HOLDS,
    "go on": UNDECIDED,
    "cannot succeed any more": CANNOT_SUCCEED,
    "agrees with the data": HOLDS,
    "agrees with itself; no data were compared": UNDECIDED,
    "does not agree": DOES_NOT_HOLD,
    "cannot be read": BAD_INPUT,
}
