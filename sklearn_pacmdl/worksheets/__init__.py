"""Tables that people fill in."""

# What is imported as itself is for other rooms, and not public.

from ._records import is_for_records as is_for_records
from ._records import read_records as read_records
from ._table_columns import AUTOMATIC as AUTOMATIC
from ._table_columns import CERTIFIED as CERTIFIED
from ._table_columns import CERTIFY as CERTIFY
from ._table_columns import CLUSTER as CLUSTER
from ._table_columns import LABEL as LABEL
from ._table_columns import ROW as ROW
from ._table_columns import SEEN as SEEN
from ._table_columns import SELECT as SELECT
from ._table_columns import SOURCE as SOURCE
from ._table_columns import USE as USE
from ._worksheet import NO_CHOICE as NO_CHOICE
from ._worksheet import TEXTS as TEXTS
from ._worksheet import as_csv as as_csv
from ._worksheet import as_worksheet as as_worksheet
from ._worksheet import check_answers as check_answers
from ._worksheet import columns_of as columns_of
from ._worksheet import import_pandas as import_pandas
from ._worksheet import is_table as is_table
from ._worksheet import listed as listed
from ._worksheet import placed as placed
from ._worksheet import plain_texts as plain_texts
from ._worksheet import read_csv as read_csv
from ._worksheet import read_worksheet as read_worksheet
from ._worksheet import refuse_gaps as refuse_gaps
from ._worksheet import refuse_labels_of_people as refuse_labels_of_people
from ._worksheet import split_answers as split_answers
from ._worksheet import worksheet as worksheet
