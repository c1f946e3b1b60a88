"""The limit of deletions, the numbers of a plan, and several requests at a time."""

from threading import Barrier

import pytest

from punctual.applying import Change, Deletion, Done, Plan, counts_of, plan_lines, prune_error
from punctual.applying.parallel import each


def plan(deletions: int, standing: int) -> Plan:
    found = tuple(Deletion(f"s.{number}", f"job_{number}", 1) for number in range(deletions))
    return Plan("s", deletions=found, standing=standing)


@pytest.mark.parametrize(
    ("deletions", "standing", "limit", "is_free"),
    [
        (0, 0, None, True),
        (1, 2, None, True),
        (2, 3, None, False),
        (1, 1, None, False),
        (20, 40, None, True),
        (20, 39, None, False),
        (21, 1_000, None, False),
        (21, 1_000, 21, True),
        (21, 1_000, 20, False),
        (3, 3, 3, True),
        (1, 100, 0, False),
        (0, 100, 0, True),
    ],
)
def test_more_than_20_deletions_and_more_than_half_of_the_set_need_a_limit(
    deletions: int, standing: int, limit: int | None, is_free: bool
) -> None:
    assert (prune_error(plan(deletions, standing), limit) is None) == is_free


def test_counts_name_only_what_there_is() -> None:
    changes = (Change("s.a", "updated", (), {}), Change("s.b", "created", (), {"cron": "@daily"}))
    found = Plan("s", changes, plan(2, 9).deletions, unchanged=12)
    assert list(plan_lines(found))[-1] == "1 to create, 1 to change, 2 to delete, 12 unchanged"
    assert list(plan_lines(Plan("s"))) == ["no jobs"]
    done = [Done("s.a", "failed"), Done("s.b", "created"), Done("s.0", "not sent"), Done("s.1", "not sent")]
    assert counts_of(done, found) == "1 created, 12 unchanged, 1 failed, 2 not sent"


def test_work_is_done_several_at_a_time_and_results_keep_their_order() -> None:
    barrier = Barrier(3, timeout=60)

    def work(number: int) -> int:
        barrier.wait()
        return number

    assert each(work, range(6), 3) == list(range(6))


def test_first_error_ends_the_work() -> None:
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise ValueError(number)

    with pytest.raises(ValueError, match="2"):
        each(work, range(100), 1)
    assert begun == [0, 1, 2]
