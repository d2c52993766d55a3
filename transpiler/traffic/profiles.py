"""Members and groups of action profiles: which ones the entries of a table refer to.

Each kind of entries that a table has gets members of its own, as many as entries, or as there is room for. A selector has as many
groups as members. Groups overlap, as those of services that share servers do. Numbers are counted for each profile from 0, as the
control plane counts them.
"""

from __future__ import annotations

from collections import Counter

from transpiler.traffic.filled import TableEntries
from transpiler.traffic.plan import Plan, filled_of

GROUP_MEMBERS = 4


class Profiles:
    """Of a plan. `members` of each kind of entries, and the `first` of them; `used` members of a profile by all kinds, `groups`
    alike."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.used: Counter[str] = Counter()
        self._made: dict[int, tuple[int, int]] = {}
        sharing = Counter(made.table.implementation for made in plan.tables)
        for made in plan.tables:
            name = made.table.implementation
            if name is None:
                continue
            sharing[name] -= 1
            room = filled_of(self.size(name), plan.spares) - self.used[name] - GROUP_MEMBERS * sharing[name]
            count = max(1, min(max(made.count, GROUP_MEMBERS), room))
            self._made[id(made)] = self.used[name], count
            self.used[name] += count
        self.groups = Counter({name: count for name, count in self.used.items() if self.is_selector(name)})

    def size(self, name: str) -> int:
        """The members that a profile has room for."""
        return int(self.plan.program.extern[name].attribute("size"))

    def is_selector(self, name: str) -> bool:
        """Whether entries refer to groups of its members."""
        return self.plan.program.extern[name].kind == "action_selector"

    def of(self, made: TableEntries) -> tuple[int, int]:
        """The first member of a table's entries, and how many they are; the first group, and how many, of a selector."""
        return self._made[id(made)]

    def member(self, made: TableEntries, number: int) -> int:
        """The member, counted from the first, whose action an entry runs; of a group its first one. Without a profile the
        entry itself."""
        if made.table.implementation is None:
            return number
        _, count = self.of(made)
        return number % count * (GROUP_MEMBERS if self.is_selector(made.table.implementation) else 1) % count
