"""Whether a job is failing: each outcome counts once, whenever it is noted."""

from shared.domain.executions.job_health import KEPT_RECOVERIES, JobHealth
from tests.support.builders import execution_id

FIRST, SECOND = execution_id(1), execution_id(2)


def test_job_recovers_with_the_first_success_after_a_failure_and_not_with_the_next() -> None:
    failing = JobHealth().after_failure(100)
    assert not JobHealth().ends_failures(100)
    assert failing.ends_failures(101)
    recovered = failing.after_recovery(FIRST, 101)
    assert recovered.recoveries == (FIRST,)
    assert not recovered.ends_failures(102)


def test_success_before_the_failure_is_no_recovery() -> None:
    assert not JobHealth().after_failure(100).ends_failures(99)


def test_failure_that_is_noted_again_changes_nothing() -> None:
    failing = JobHealth().after_failure(100)
    assert failing.after_failure(100) == failing
    recovered = failing.after_recovery(FIRST, 101)
    assert recovered.after_failure(100) == recovered
    assert failing.after_failure(200).after_failure(150) == failing.after_failure(200)


def test_failure_after_the_recovery_makes_the_job_fail_again() -> None:
    again = JobHealth().after_failure(100).after_recovery(FIRST, 101).after_failure(102)
    assert again.ends_failures(103)
    assert again.after_recovery(SECOND, 103).recoveries == (SECOND, FIRST)


def test_failure_that_was_noted_before_an_earlier_recovery_goes_on() -> None:
    """The success of 101 is noted late: another run has failed at 105."""
    failing = JobHealth().after_failure(100).after_failure(105)
    assert failing.ends_failures(101)
    recovered = failing.after_recovery(FIRST, 101)
    assert (recovered.failing_from, recovered.ends_failures(104)) == (105, False)
    assert recovered.ends_failures(106)


def test_failure_that_is_noted_late_is_the_first_of_its_period() -> None:
    failing = JobHealth().after_failure(105).after_failure(100)
    assert (failing.failing_from, failing.failed_at) == (100, 105)


def test_every_change_has_a_new_version_and_few_recoveries_are_kept() -> None:
    health, versions = JobHealth(), []
    for at in range(1, 100, 2):
        health = health.after_failure(at)
        versions.append(health.version)
        health = health.after_recovery(execution_id(at), at + 1)
        versions.append(health.version)
    assert versions == list(range(1, 101))
    assert health.recoveries == tuple(execution_id(at) for at in range(99, 99 - 2 * KEPT_RECOVERIES, -2))
