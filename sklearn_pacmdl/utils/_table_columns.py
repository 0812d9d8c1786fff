"""Columns of the package's own tables, by the names that users see in files and help."""

# Columns with the index of a row in the data, and its human label.
ROW, LABEL = "row", "label"
# Columns of a finished data set besides those of the data and of a worksheet.
SOURCE, AUTOMATIC = "source", "automatic_label"
# Columns of tables of bounds and plans, which people do not fill in; each table has one
# of the first ones.
BOUNDS_OF = {"n_audited", "audited_true"}
_SCORES = "precision", "recall", "f1", "total", "errors", "macro_error"
BOUNDS = {
    *BOUNDS_OF,
    *("segment", "class", "n_rows", "n_wrong", "n_truly", "n_automatic", "delta"),
    *("n_predicted", "audited_predicted", "audited_right", "macro_error_bound"),
    *("estimate", "lower", "upper", "lower_bound", "upper_bound"),
    *(f"{score}_{end}_bound" for score in _SCORES for end in ("lower", "upper")),
    *("share_automatic", "n_to_annotators", "error_bound", "surest"),
}
# Columns of a certified labeling, and what labeled rows are used for.
CLUSTER, HUMAN, CERTIFIED, USE = "cluster", "human_label", "certified_label", "used_to"
CERTIFY, SELECT = "certify", "select"
