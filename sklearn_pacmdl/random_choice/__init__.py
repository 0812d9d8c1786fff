"""Whether the choice of the labeled rows looks random."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from ._random_choice import RandomChoiceTest as RandomChoiceTest
from ._random_choice import check_choices as check_choices
from ._random_choice import check_counted_choice as check_counted_choice
from ._random_choice import check_groups as check_groups
from ._random_choice import check_random_choice as check_random_choice
from ._random_choice import clusterings_to_test as clusterings_to_test
from ._random_choice import fields_of_test as fields_of_test
from ._random_choice import random_choice_test

__all__ = ["random_choice_test"]
