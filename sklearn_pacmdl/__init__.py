"""Choose, judge and certify clusterings, as a scikit-learn extension."""

import lazy_loader

from .utils._version import __version__ as __version__

# Names and rooms are listed in __init__.pyi, which type checkers and editors read too.
# Each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
