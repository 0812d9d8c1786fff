"""Columns of the package's own tables, by the names that users see in files and help."""

# Columns with the index of a row in the data, and its human label.
ROW, LABEL = "row", "label"
# Columns of a finished data set besides those of the data and of a worksheet.
SOURCE, AUTOMATIC = "source", "automatic_label"
# Columns of a certified labeling, and what labeled rows are used for.
CLUSTER, HUMAN, CERTIFIED, USE = "cluster", "human_label", "certified_label", "used_to"
CERTIFY, SELECT = "certify", "select"
