"""What the README shows is run."""

import re
from math import ceil
from pathlib import Path

import pytest
from conftest import verified

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_can_be_pasted(block, capsys):
    namespace = {}
    exec(block, namespace)
    assert capsys.readouterr().out
    if "search.certificate_" in block:
        assert len(block.splitlines()) <= 12
        certificate = namespace["search"].certificate_
        assert verified(namespace["search"], namespace["y"])
        stated = f"at most {certificate.max_test_errors} of the {certificate.n_test}"
        rate = ceil(1e4 * certificate.bound) / 100  # rounded up, as in statements
        assert f"{stated} unlabeled rows ({rate:.2f}%)" in README
