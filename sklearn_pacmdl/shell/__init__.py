"""Commands of the shell: ``pacmdl --help``."""
