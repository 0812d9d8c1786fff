"""Tables that people fill in: they are written, and labels are read from them."""

# What is imported as itself is for other rooms, and not public.

from ._files import COMMAS as COMMAS
from ._files import ENDINGS as ENDINGS
from ._files import SPREADSHEETS as SPREADSHEETS
from ._files import CsvFormat as CsvFormat
from ._files import as_table as as_table
from ._files import as_worksheet as as_worksheet
from ._files import escaped as escaped
from ._files import import_pandas as import_pandas
from ._files import plain_texts as plain_texts
from ._files import read_file as read_file
from ._records import is_for_records as is_for_records
from ._records import read_records as read_records
from ._records import values_at as values_at
from ._workbooks import AS_CSV as AS_CSV
from ._workbooks import import_openpyxl as import_openpyxl
from ._worksheet import NO_CHOICE as NO_CHOICE
from ._worksheet import check_answers as check_answers
from ._worksheet import check_rows as check_rows
from ._worksheet import columns_of as columns_of
from ._worksheet import is_table as is_table
from ._worksheet import listed as listed
from ._worksheet import placed as placed
from ._worksheet import read_worksheet, worksheet
from ._worksheet import refuse_gaps as refuse_gaps
from ._worksheet import refuse_json as refuse_json
from ._worksheet import refuse_labels_of_people as refuse_labels_of_people
from ._worksheet import row_numbers as row_numbers
from ._worksheet import split_answers as split_answers

__all__ = ["read_worksheet", "worksheet"]
