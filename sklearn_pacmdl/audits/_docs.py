"""Paragraphs that several docstrings of audits share."""

from ..utils._docs import substituted

documented = substituted(
    audit="""
        audit : Audit
            The audited rows, as :func:`draw_audit` returned them.
        audit_labels : array-like of shape (audit.size,)
            Labels that people gave to the audited rows, in drawing order: those of
            ``audit.rows``. None may be missing.
        """,
    delta="""
        delta : float, default=0.1
            Probability, in (0, 1), with which the statement may fail.
        """,
    column="""
        column : str, default="label"
            Column that holds the labels.
        dtype : dtype, default=None
            Type of the labels in a CSV file, such as ``str`` if "007" is a label.
        """,
    path="""
        path : str or path-like, default=None
            Where to write the table as a CSV file for spreadsheets. Texts that these
            would treat as formulas get an apostrophe in front, which ``read_labels``
            removes. By default the table is only returned.
        """,
    majority="""
        majority : bool, default=False
            Whether more than half of the people who labeled a row settle its label,
            instead of all.
        """,
    n_rows="""
        n_rows : int
            Rows of the data set, without those that are excluded from the audit; from 2
            to 2**51.
        target : float
            Share of wrong labels, in (0, 1), that is tolerated in the whole data set:
            ``floor(target * n_rows)`` errors, where ``target`` is the decimal that is
            printed for it.
        """,
    error_rate="""
        error_rate : float or array-like of float
            Guess of the share of the rows that is labeled wrongly, in [0, 1]. The number
            of errors is rounded up.
        """,
)
