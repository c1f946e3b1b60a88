"""The event bus of a stage, in its configuration."""

import re
from dataclasses import dataclass

MAX_ACCOUNTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBusConfig:
    """Events of other accounts need their leave by the bus; the account of the stage needs none."""

    accounts: tuple[str, ...] = ()
    """The other accounts that may put events on the bus."""

    def __post_init__(self) -> None:
        """Raise ValueError for what is no account, and for too many of them."""
        for account in self.accounts:
            if not re.fullmatch(r"[0-9]{12}", account):
                raise ValueError(
                    f"event_bus.accounts has accounts of AWS, such as '111122223333', not {account!r}"
                )
        if len(set(self.accounts)) != len(self.accounts) or len(self.accounts) > MAX_ACCOUNTS:
            raise ValueError(f"event_bus.accounts has at most {MAX_ACCOUNTS} accounts, each once")
