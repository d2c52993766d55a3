"""The interpreter raises the recursion limit when its first switch is made; hypothesis wants that to be before its tests."""

import sys

sys.setrecursionlimit(50_000)
