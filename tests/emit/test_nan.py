"""Exported C keeps NaN: the least and the largest of NaN and a number are NaN."""

import shutil
import subprocess
from importlib.resources import files

import pytest

MAIN = """
#include <math.h>
int main(void)
{
    double x = NAN;
    return !(isnan(model_min(x, 1.0)) && isnan(model_min(1.0, x)) && isnan(model_max(x, 1.0))
        && isnan(model_max(1.0, x)) && model_min(1.0, 2.0) == 1.0 && model_max(1.0, 2.0) == 2.0);
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_least_and_the_largest_of_nan_are_nan(tmp_path):
    parts = files("dalembert.emit") / "parts"
    text = "".join((parts / name).read_text() for name in ("minimum.h", "maximum.h"))
    (tmp_path / "a.c").write_text("typedef double model_real;\n" + text + MAIN)
    given = ["gcc", "-Wall", "-Wextra", "-Werror", "a.c", "-o", "a", "-lm"]
    subprocess.run(given, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 0
