"""Lets the tests here use the strategies and the harness of the property tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "property"))
sys.setrecursionlimit(50_000)
