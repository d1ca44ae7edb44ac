"""Who plays where: what is tried, what is played for the result, and who stays out and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quickdraw_bandits.checks import integer
from quickdraw_lab.any_run import Record
from quickdraw_lab.bed import Bed
from quickdraw_lab.contest.arenas import Arena, environment
from quickdraw_lab.contest.grids import KNOWS_THE_FIELD, knows_the_field, settings_of, version_of
from quickdraw_lab.contest.runs import ContestRun
from quickdraw_lab.own_policies import load_policy, source_of
from quickdraw_lab.runs import Contestant

Records = Mapping[ContestRun, Record]


@dataclass(frozen=True)
class Entry:
    """A policy on an arena: the settings that are tried there."""

    arena_name: str
    arena: Arena
    settings: tuple[Contestant, ...]
    yardstick: bool

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return self.settings[0].policy

    def tuning_runs(self, tuning_fields: int) -> Iterator[ContestRun]:
        """Yield what must be played to choose a setting; nothing where there is but one."""
        if len(self.settings) > 1:
            for number in range(tuning_fields):
                for contestant in self.settings:
                    yield ContestRun(self.arena, contestant, "tuning", number)

    def tuning_regret(self, contestant: Contestant, tuning_fields: int, records: Records) -> float | None:
        """Return the mean regret of a setting on the tuning environments; None if it was not played on all."""
        runs = [ContestRun(self.arena, contestant, "tuning", number) for number in range(tuning_fields)]
        regrets = [records.get(run, {}).get("regret_per_round") for run in runs]
        return None if None in regrets else sum(regrets) / len(regrets)  # type: ignore[arg-type]

    def chosen(self, tuning_fields: int, records: Records) -> Contestant | None:
        """Return the setting of least regret, the first of them; None if every setting failed somewhere."""
        if len(self.settings) == 1:
            return self.settings[0]
        found = [
            (regret, place)
            for place, contestant in enumerate(self.settings)
            if (regret := self.tuning_regret(contestant, tuning_fields, records)) is not None
        ]
        return self.settings[min(found)[1]] if found else None


@dataclass(frozen=True)
class Plan:
    """A contest.

    Attributes
    ----------
    bed
        Sizes and seed.
    fields, tuning_fields
        How many environments of each arena count, and on how many others settings are tried.
    entries
        Policies on arenas, arena by arena.
    left_out
        A row to each policy that cannot play an arena, with its own words.
    """

    bed: Bed
    fields: int
    tuning_fields: int
    entries: Sequence[Entry]
    left_out: Sequence[Mapping[str, str]] = field(default_factory=tuple)

    @classmethod
    def of(
        cls,
        policies: Iterable[str],
        arenas: Mapping[str, Arena],
        bed: Bed,
        fields: int = 20,
        tuning_fields: int = 5,
        budget: int = 9,
    ) -> "Plan":
        """Enter every policy on every arena that it can play, each with the first ``budget`` settings of its grid."""
        integer("fields", fields, at_least=1)
        integer("tuning_fields", tuning_fields, at_least=1)
        integer("budget", budget, at_least=1)
        entries, left_out = [], []
        policies = list(dict.fromkeys(policies))
        sources = {policy: " ".join(filter(None, (source_of(policy), version_of(policy)))) for policy in policies}
        for name, arena in arenas.items():
            env = environment(arena, "result", 0, bed)
            for policy in policies:
                yardstick = knows_the_field(policy, env)
                tried = [()] if yardstick else settings_of(policy, budget)
                refusal = (
                    "it must be told what the environment is made of, which is known of random fields alone"
                    if policy in KNOWS_THE_FIELD and not yardstick
                    else None
                    if yardstick
                    else _refusal(policy, tried[0], env)
                )
                if refusal is not None:
                    left_out.append({"environment": name, "policy": policy, "reason": refusal})
                    continue
                contestants = tuple(Contestant(policy, setting, sources[policy]) for setting in tried)
                entries.append(Entry(name, arena, contestants, yardstick))
        if not entries:
            raise ValueError(f"no policy can play: {left_out[0]['policy']}: {left_out[0]['reason']}")
        return cls(bed, fields, tuning_fields, entries, left_out)

    def tuning_runs(self) -> list[ContestRun]:
        """Return all runs on which settings are chosen."""
        return [run for entry in self.entries for run in entry.tuning_runs(self.tuning_fields)]

    def result_runs(self, records: Records) -> list[ContestRun]:
        """Return the runs of the result, of the settings that tuning has chosen."""
        return [
            ContestRun(entry.arena, contestant, "result", number)
            for entry in self.entries
            if (contestant := entry.chosen(self.tuning_fields, records)) is not None
            for number in range(self.fields)
        ]


def _refusal(policy: str, parameters: object, env: object) -> str | None:
    """Return what a policy says when it is built on arms that it cannot play; None if it says nothing."""
    try:
        load_policy(policy)(env.arms, **dict(parameters), seed=0)  # type: ignore[attr-defined, call-overload]
    except (ValueError, ImportError) as error:
        return " ".join(str(error).split())
    except Exception:
        return None  # a fault of its own, which its runs will tell
    return None
