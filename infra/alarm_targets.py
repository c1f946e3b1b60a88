"""Who receives the alarms of a stage."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}")
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):[0-9]{12}:[A-Za-z0-9_-]{1,256}")
MOST_BUDGET_EMAILS = 10
_URL = re.compile(r"https://[!-~]{1,2000}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmTargets:
    """Addresses, or the ARN of a topic that exists. A topic's own subscriptions say who receives its alarms."""

    emails: tuple[str, ...] = ()
    https: tuple[str, ...] = field(default=(), repr=False)
    """Endpoints of pagers. Their URLs often contain a key, so that no message repeats them."""
    topic_arn: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an address that SNS refuses."""
        for email in self.emails:
            if not _EMAIL.fullmatch(email):
                raise ValueError(
                    f"alarms.emails has addresses such as 'ops@example.com', and {email!r} is none"
                )
        for number, url in enumerate(self.https, 1):
            if not _is_endpoint(url):
                raise ValueError(
                    f"alarms.https has URLs such as 'https://events.example.com/key', with neither a user nor a "
                    f"fragment, and number {number} is none"
                )
        if self.topic_arn is not None and not _TOPIC.fullmatch(self.topic_arn):
            raise ValueError(
                "alarms.topic is the ARN of a standard SNS topic, as in "
                f"'arn:aws:sns:eu-west-1:111111111111:ops', not {self.topic_arn!r}"
            )
        if self.topic_arn is not None and (self.emails or self.https):
            raise ValueError(
                "alarms.topic stands alone: subscribe the addresses to that topic, and remove alarms.emails and "
                "alarms.https"
            )

    def __bool__(self) -> bool:
        return bool(self.emails or self.https or self.topic_arn)

    def check(self, region: str) -> None:
        """Raise ValueError for a topic that the alarms of the stage could not use."""
        found = _TOPIC.fullmatch(self.topic_arn or "")
        if found is not None and found["region"] != region:
            raise ValueError(
                f"alarms.topic is in the region of the stage, {region}, not in {found['region']}: alarms notify "
                "topics of their own region alone"
            )

    def check_for_budget(self) -> None:
        """Raise ValueError without an address that AWS Budgets can notify, or with more than it accepts."""
        if not self.emails and self.topic_arn is None:
            raise ValueError(
                "monthly_dollars needs alarms.emails or alarms.topic, because AWS Budgets notifies no other address"
            )
        if len(self.emails) > MOST_BUDGET_EMAILS:
            raise ValueError(
                f"monthly_dollars allows at most {MOST_BUDGET_EMAILS} alarms.emails, not {len(self.emails)}: AWS "
                "Budgets notifies no more, so name a mailing list"
            )


def _is_endpoint(url: str) -> bool:
    if not _URL.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        is_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return bool(parts.hostname) and is_valid_port and parts.username is None and not parts.fragment
