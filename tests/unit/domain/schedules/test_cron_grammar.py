"""What a cron line may say, and what is refused with the name of the field."""

import pytest

from shared.domain.errors import ScheduleError, ScheduleNeverFiresError
from shared.domain.schedules.cron import parse_cron

LONG_LIST = ",".join(["1"] * 60)


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("* * * * *", "* * * * *"),
        (" \t5  4\t* * *\t", "5 4 * * *"),
        ("05 04 01 01 00", "5 4 1 1 0"),
        ("*/20 */6 * * *", "0,20,40 0,6,12,18 * * *"),
        ("10/20 22/1 * * *", "10,30,50 22,23 * * *"),
        ("59/15 0 * * *", "59 0 * * *"),
        ("10-20/15 0 * * *", "10 0 * * *"),
        ("0 23-5/2 * * *", "0 1,3,5,23 * * *"),
        ("0 22-6 * * *", "0 0,1,2,3,4,5,6,22,23 * * *"),
        ("0 0 1 nov-feb *", "0 0 1 1,2,11,12 *"),
        ("0 0 1 NOV-Feb/2 *", "0 0 1 1,11 *"),
        ("0 0 * * fri-mon", "0 0 * * 0,1,5,6"),
        ("0 0 * * 5-7", "0 0 * * 0,5,6"),
        ("0 0 * * 7-2", "0 0 * * 0,1,2"),
        ("0 0 * * 0-7", "0 0 * * 0,1,2,3,4,5,6"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 */1 * 1", "0 0 * * 1"),
        ("0 0 */01 * 1", "0 0 * * 1"),
        ("0 0 1,* * 1", "0 0 * * 1"),
        ("0 0 30 2 1", "0 0 * 2 1"),
        ("0 0 L * *", "0 0 l * *"),
        ("0 0 15W * *", "0 0 15w * *"),
        ("0 0 * * 7#1,mon#2", "0 0 * * 0#1,1#2"),
        ("0 0 * * friL,L1", "0 0 * * l5,l1"),
        (f"{LONG_LIST} 0 * * *", "1 0 * * *"),
        ("@hourly", "0 * * * *"),
        (" @daily ", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@annually", "0 0 1 1 *"),
        ("@DAILY", "0 0 * * *"),
        ("@Yearly", "0 0 1 1 *"),
    ],
)
def test_lines_are_spelled_out(line: str, steps: str) -> None:
    parsed = parse_cron(line)
    assert parsed.text == line
    assert parsed.steps == steps


@pytest.mark.parametrize(
    ("line", "interval"),
    [
        ("* * * * *", True),
        ("*/15 9 * * *", True),
        ("30 * * * *", True),
        ("0 */2 * * *", True),
        ("@hourly", True),
        ("0 0 * * *", False),
        ("0,*/20 9 * * *", False),
        ("0-59 0-23 * * *", False),
        ("@daily", False),
    ],
)
def test_interval_lines(line: str, interval: bool) -> None:
    assert parse_cron(line).is_interval is interval


@pytest.mark.parametrize(
    ("line", "field", "says"),
    [
        ("", "cron", "0 fields"),
        (" \t ", "cron", "0 fields"),
        ("* * * *", "cron", "4 fields"),
        ("0 * * * * *", "cron", "different dialects"),
        ("0 0 12 * * ? 2025", "cron", "different dialects"),
        ("* * * * * * * *", "cron", "8 fields"),
        ("0 9 ? * MON-FRI *", "cron", "EventBridge's six go into `expression`"),
        ("rate(5 minutes)", "cron", "put the text into `expression`"),
        ("cron(0 9 ? * MON-FRI *)", "cron", "put the text into `expression`"),
        (" at(2030-01-31T09:30:00)", "cron", "put the text into `expression`"),
        ("*" * 257, "cron", "257 characters"),
        (" " * 248 + "* * * * *", "cron", "257 characters"),
        ("0 0 * * \u0661", "cron", "ASCII"),
        ("0\u00a00 * * *", "cron", "ASCII"),
        ("0\u30000 * * *", "cron", "ASCII"),
        ("0 0 * * *\n", "cron", "white space"),
        ("0 0\r* * *", "cron", "white space"),
        ("0 0\x0b* * *", "cron", "white space"),
        ("0 0\x0c* * *", "cron", "white space"),
        ("0 0 * * \x00", "cron", "white space"),
        ("0 0 * * *\x7f", "cron", "white space"),
        ("@reboot", "cron", "unknown alias"),
        ("@every 5m", "cron", "unknown alias"),
        ("@daily *", "cron", "unknown alias"),
        ("R * * * *", "minute", "cannot read 'r'"),
        ("0 R(1-5) * * *", "hour", "cannot read"),
        ("0 0 r/5 * *", "day_of_month", "cannot read 'r'"),
        ("H * * * *", "minute", "cannot read 'h'"),
        ("? 0 * * *", "minute", "cannot read"),
        ("0 0 ? * *", "day_of_month", "? is EventBridge's: put the line into `expression`"),
        ("0 0 * * ?", "day_of_week", "? is EventBridge's: put the line into `expression`"),
        ("5-1 * * * *", "minute", "ends before it begins"),
        ("50-10/7 0 * * *", "minute", "write two ranges"),
        ("0 0 25-5 * *", "day_of_month", "ends before it begins"),
        ("0 0 25-5/3 * *", "day_of_month", "write two ranges"),
        ("5-5 * * * *", "minute", "itself"),
        ("0 5-5/2 * * *", "hour", "itself"),
        ("0 0 1-01 * *", "day_of_month", "itself"),
        ("0 0 1 jan-1 *", "month", "itself"),
        ("0 0 * * sun-sun", "day_of_week", "itself"),
        ("0 0 * * 7-7", "day_of_week", "itself"),
        ("0 0 * * 7-0", "day_of_week", "itself"),
        ("*/0 * * * *", "minute", "a step of 0"),
        ("*/00 * * * *", "minute", "a step of 0"),
        ("*/60 * * * *", "minute", "a step of 60"),
        ("0 */24 * * *", "hour", "a step of 24"),
        ("0 0-5/24 * * *", "hour", "a step of 24"),
        ("0 0 */32 * *", "day_of_month", "a step of 32"),
        ("0 0 1 */13 *", "month", "a step of 13"),
        ("0 0 * * */7", "day_of_week", "a step of 7"),
        ("*/" + "9" * 200 + " * * * *", "minute", "a step of 999"),
        (f"{LONG_LIST},1 * * * *", "minute", "61 items"),
        ("60 * * * *", "minute", "60 is not from 0 to 59"),
        ("0 24 * * *", "hour", "24 is not"),
        ("0 0 0 * *", "day_of_month", "0 is not from 1"),
        ("0 0 32 * *", "day_of_month", "32 is not"),
        ("0 0 1 0 *", "month", "0 is not from 1"),
        ("0 0 1 13 *", "month", "13 is not"),
        ("0 0 * * 8", "day_of_week", "8 is not from 0 to 7"),
        ("9" * 200 + " * * * *", "minute", "is not from"),
        ("-1 * * * *", "minute", "cannot read"),
        ("1--5 * * * *", "minute", "cannot read"),
        ("1-5-9 * * * *", "minute", "cannot read"),
        ("*-5 * * * *", "minute", "cannot read"),
        ("*/5/5 * * * *", "minute", "cannot read"),
        ("*/-5 * * * *", "minute", "cannot read"),
        ("*/ * * * *", "minute", "cannot read"),
        ("/5 * * * *", "minute", "cannot read"),
        ("** * * * *", "minute", "cannot read"),
        ("1.5 * * * *", "minute", "cannot read"),
        ("+1 * * * *", "minute", "cannot read"),
        ("1_0 * * * *", "minute", "cannot read"),
        ("1,,2 * * * *", "minute", "cannot read ''"),
        (",1 * * * *", "minute", "cannot read ''"),
        ("jan * * * *", "minute", "cannot read 'jan'"),
        ("0 0 mon * *", "day_of_month", "cannot read 'mon'"),
        ("0 0 1 mon *", "month", "cannot read 'mon'"),
        ("0 0 * * jan", "day_of_week", "cannot read 'jan'"),
        ("0 0 * * monday", "day_of_week", "cannot read 'monday'"),
        ("L * * * *", "minute", "cannot read 'l'"),
        ("0 0 1 L *", "month", "cannot read 'l'"),
        ("0 0 * * L", "day_of_week", "L is EventBridge's: put the line into `expression`"),
        ("0 0 * * 8L", "day_of_week", "cannot read"),
        ("0 0 L-3 * *", "day_of_month", "are Quartz's, and are not supported"),
        ("0 0 25-L * *", "day_of_month", "cannot read 'l'"),
        ("0 0 LW * *", "day_of_month", "LW is EventBridge's: put the line into `expression`"),
        ("0 0 W15 * *", "day_of_month", "cannot read 'w15'"),
        ("0 0 0W * *", "day_of_month", "0 is not from 1"),
        ("0 0 32W * *", "day_of_month", "32 is not"),
        ("0 0 1,15W * *", "day_of_month", "W stands alone"),
        ("0 0 15W,15W * *", "day_of_month", "W stands alone"),
        ("0 0 *,L * *", "day_of_month", "do not mix with *"),
        ("0 0 * * 1,5#2", "day_of_week", "plain weekdays"),
        ("0 0 * * mon#2,tue", "day_of_week", "make two jobs"),
        ("0 0 * * *,5#2", "day_of_week", "do not mix"),
        ("0 0 * * 1#0", "day_of_week", "#1 to #5"),
        ("0 0 * * 1#6", "day_of_week", "#1 to #5"),
        ("0 0 * * 1-5#2", "day_of_week", "cannot read"),
        ("0 0 * * 8#2", "day_of_week", "8 is not"),
        ("0 0 L * 1", "day_of_month", "L and W need *"),
        ("0 0 15W * 1-5", "day_of_month", "L and W need *"),
        ("0 0 L * 1#1", "day_of_month", "L and W need *"),
        ("0 0 13 * 5#2", "day_of_week", "# and L need *"),
        ("0 0 1-7 * 5L", "day_of_week", "# and L need *"),
    ],
)
def test_refused_lines_name_the_field(line: str, field: str, says: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_cron(line)
    assert caught.value.field == field
    text = str(caught.value)
    assert says in text and text.startswith(f"{field}: ")
    assert text.isascii() and text.isprintable() and len(text) < 300


@pytest.mark.parametrize("days", ["30 2", "31 2,4,6,9,11", "31 apr", "30,31 feb", "30-31/1 2"])
def test_days_that_no_month_has_never_fire(days: str) -> None:
    with pytest.raises(ScheduleNeverFiresError) as caught:
        parse_cron(f"0 0 {days} *")
    assert caught.value.field == "day_of_month"


@pytest.mark.parametrize("days", ["29 2", "30,29 2", "31 1,2", "L 2", "31W 2", "* 2"])
def test_rare_days_are_accepted(days: str) -> None:
    parse_cron(f"0 0 {days} *")
