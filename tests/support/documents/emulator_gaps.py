"""Operations of AWS that runbooks use and the emulator lacks: why, and what they answer in the tests of the pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Gap:
    reason: str
    answer: Mapping[str, Any]


_NO_QUOTAS = "the emulator has no Service Quotas"
_QUOTA = {
    "QuotaCode": "L-B99A9384",
    "QuotaName": "Concurrent executions",
    "Value": 1_000.0,
    "Adjustable": True,
}
_REQUEST = {
    "Id": "1",
    "Status": "PENDING",
    "QuotaName": "Concurrent executions",
    "DesiredValue": 3_000.0,
}

NOT_EMULATED: Mapping[str, Gap] = {
    "service-quotas.ListServiceQuotas": Gap(_NO_QUOTAS, {"Quotas": [_QUOTA]}),
    "service-quotas.GetServiceQuota": Gap(_NO_QUOTAS, {"Quota": _QUOTA}),
    "service-quotas.RequestServiceQuotaIncrease": Gap(_NO_QUOTAS, {"RequestedQuota": _REQUEST}),
    "service-quotas.ListRequestedServiceQuotaChangeHistory": Gap(_NO_QUOTAS, {"RequestedQuotas": [_REQUEST]}),
}
"""By service and operation. The command line has checked the parameters before it gets the answer."""
