"""The stages of an execution in one attribute: 8 bytes after the first attempt, 14 after later ones."""

from shared.domain.executions.stages import STORED, AttemptStages, Stages, cause_of

STAGES = "sp"
_HEAD_BYTES = 2
_CODES = len(STORED)
_ONE, _TWO = _HEAD_BYTES + _CODES, _HEAD_BYTES + 2 * _CODES


def pack_stages(stages: Stages | None) -> bytes | None:
    """Number of the latest attempt (1), causes of both waits (1), codes of the first and of the latest attempt.

    The latest attempt is left out where it is the first one.
    """
    if stages is None:
        return None
    latest = b"" if stages.number == 1 else stages.latest.codes
    causes = (stages.first.cause or 0) << 4 | (stages.latest.cause or 0)
    return bytes([stages.number, causes]) + stages.first.codes + latest


def unpack_stages(packed: object) -> Stages | None:
    """None for a form of another release: no execution fails because of its stages."""
    if not isinstance(packed, bytes) or len(packed) not in (_ONE, _TWO):
        return None
    number, causes = packed[:_HEAD_BYTES]
    if number == 0 or (number == 1) != (len(packed) == _ONE):
        return None
    first = AttemptStages(packed[_HEAD_BYTES:_ONE], cause_of(causes >> 4))
    latest = first if number == 1 else AttemptStages(packed[_ONE:], cause_of(causes & 15))
    return Stages(number=number, first=first, latest=latest)
