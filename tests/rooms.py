"""The rooms of the package, and who may import whom."""

# Room -> rooms it may import, each with those that these may import.
_READ = {"utils", "estimators", "columns"}
ALLOWED = {
    "utils": set(),
    "estimators": {"utils"},
    "columns": {"utils", "estimators"},
    "bounds": {"utils"},
    "languages": {"utils"},
    "labeling": _READ,
    "cluster": _READ,
    "datasets": _READ | {"cluster"},
    "random_choice": _READ | {"bounds"},
    "metrics": _READ | {"bounds", "languages", "labeling"},
    "certificates": _READ | {"bounds"},
    # Displays see results only; a budget is planned, by bounds, before there are any.
    "displays": _READ | {"bounds"},
    # Results make their reports by it; it sees results only.
    "reports": _READ | {"certificates", "displays"},
    "worksheets": _READ | {"certificates"},
}
ALLOWED["certification"] = _READ | {"bounds", "certificates", "labeling", "languages"}
ALLOWED["certification"] |= {"random_choice", "reports"}
# An audit needs no search; a search hands on its certifying rows as one.
ALLOWED["audits"] = _READ | {"bounds", "certificates", "random_choice", "worksheets"}
ALLOWED["audits"] |= {"displays", "reports"}
ALLOWED["model_selection"] = ALLOWED["certification"] | {"audits", "certification"}
ALLOWED["model_selection"] |= {"cluster"}  # of the default candidates
# Commands wrap what the other rooms do; nobody imports them.
ALLOWED["shell"] = ALLOWED["audits"] | {"audits", "certification"}


def with_users(room):
    """The room, and those that import it or one of these: their tests see its errors."""
    users, more = set(), {room}
    while more:
        users |= more
        more = {user for user, allowed in ALLOWED.items() if allowed & users} - users
    return sorted(users)
