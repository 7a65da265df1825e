import os
import pathlib

import numpy as np
import pytest


@pytest.fixture
def testdata():
    return pathlib.Path(os.environ.get("ROPEWALK_TESTDATA", pathlib.Path(__file__).parents[2] / "testdata"))


@pytest.fixture
def random():
    return np.random.default_rng(20170612)
