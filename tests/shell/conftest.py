"""Commands in a folder of their own."""

import pytest

from sklearn_pacmdl.__main__ import main


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    """Run a command, which has to end with a code; output and errors come back."""
    monkeypatch.chdir(tmp_path)

    def call(command, code=0):
        try:
            found = main(command.split() if isinstance(command, str) else command)
        except SystemExit as left:
            found = left.code
        out, err = capsys.readouterr()
        assert found == code, err
        return out, err

    return call
