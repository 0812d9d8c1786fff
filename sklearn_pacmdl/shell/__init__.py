"""Commands of the shell: ``python -m sklearn_pacmdl --help``."""
