"""Version of the package, where every room can read it."""

try:
    from ._built import __version__ as __version__  # written where the package is built
except ImportError:
    __version__ = "0.1.0.dev0"  # files that were never installed
