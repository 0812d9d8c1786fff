"""Description languages: weights of labelings, in bits, that obey Kraft's inequality.

Before any label is seen, a language gives a weight to each candidate clustering of a
sweep, and a part of it to each labeling of the candidate's clusters. Languages of your
own inherit from :class:`Language`.
"""

# What is imported as itself is for other rooms, and not public.

from ._language import SWEPT_TERMS as SWEPT_TERMS
from ._language import Candidate, Language, UniformLabelLanguage
from ._language import check_kraft as check_kraft
from ._paper import PAPER_LANGUAGES as PAPER_LANGUAGES
from ._paper import LanguageName as LanguageName
from ._paper import PaperLanguage
from ._paper import get_language as get_language
from ._prior import PREFERRED_NUMBERS as PREFERRED_NUMBERS
from ._prior import Prior

__all__ = ["Candidate", "Language", "PaperLanguage", "Prior", "UniformLabelLanguage"]
