"""What goes wrong in a run: each seed draws its own mix, so that rare faults meet calm weather too."""

import random
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultMix:
    """Probabilities for each port call, message, tick or callback; lengths of time in ms."""

    throttle: float = 0.0
    """The call has no effect and says so."""
    lose_answer: float = 0.0
    """The call has its effect and says that it failed."""
    crash: float = 0.0
    """The process dies, before or after the effect."""
    freeze: float = 0.0
    """The process stands still, before or after the effect, for longer than a lease."""
    lose_message: float = 0.0
    double_message: float = 0.0
    late_message: float = 0.0
    early_message: float = 0.0
    miss_tick: float = 0.0
    double_tick: float = 0.0
    refuse: float = 0.0
    """The receiver answers 500."""
    hang: float = 0.0
    """The receiver answers after the deadline."""
    skew_ms: int = 0
    """Clocks of processes differ by so much, either way."""

    @property
    def is_mild(self) -> bool:
        """Whether no process, message or tick is lost or held up: then nothing may wait for a sweep."""
        grave = (
            self.lose_answer,
            self.crash,
            self.freeze,
            self.lose_message,
            self.late_message,
            self.miss_tick,
        )
        return not any(grave)

    @property
    def is_calm(self) -> bool:
        """Whether nothing of ours goes wrong (receivers may fail all the same)."""
        ours = (field.name for field in fields(self) if field.name not in ("refuse", "hang", "late_message"))
        return not any(getattr(self, name) for name in ours) and not self.late_message


_LIMITS = {
    "throttle": 0.08,
    "lose_answer": 0.08,
    "crash": 0.03,
    "freeze": 0.01,
    "lose_message": 0.1,
    "double_message": 0.3,
    "late_message": 0.2,
    "early_message": 0.2,
    "miss_tick": 0.5,
    "double_tick": 0.5,
    "refuse": 0.5,
    "hang": 0.1,
}
CALM_SHARE = 0.1
MILD_SHARE = 0.25
MILD = ("throttle", "double_message", "early_message", "double_tick", "refuse", "hang")


def draw_mix(rng: random.Random) -> FaultMix:
    """Each fault is in the mix or not, in a strength of its own; some runs are calm, some mild."""
    mix = FaultMix(refuse=rng.choice((0.0, 0.3)))
    if rng.random() < CALM_SHARE:
        return mix
    mild = rng.random() < MILD_SHARE
    for name, limit in _LIMITS.items():
        if mild and name not in MILD:
            continue
        if rng.random() < 0.5:
            mix = replace(mix, **{name: rng.random() * limit})
    return replace(mix, skew_ms=rng.choice((0, 0, 500, 2_000)))


HEALED = FaultMix()
