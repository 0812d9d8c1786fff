"""Whether the choice of the labeled rows looks random."""

# What is imported as itself is for other rooms, and not public.

from ._random_choice import RandomChoiceTest, random_choice_test
from ._random_choice import check_counted_choice as check_counted_choice
from ._random_choice import check_groups as check_groups
from ._random_choice import check_random_choice as check_random_choice
from ._random_choice import clusterings_to_test as clusterings_to_test
from ._random_choice import fields_of_test as fields_of_test

__all__ = ["RandomChoiceTest", "random_choice_test"]
