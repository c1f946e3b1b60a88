"""BudgetStore: portions are taken all together and within their ceilings, or not at all."""

from shared.domain.tenancy.budget import RATE_SLOTS, BudgetKey, BudgetName, TokenLease
from tests.support.builders import EXPIRES_AT_S, TENANT
from tests.support.conformance.labs import Lab

KEY = BudgetKey(tenant_id=TENANT, name=BudgetName.CREATES, window=174_000_000)


def portion(slot: int, tokens: int, ceiling: int = 10) -> TokenLease:
    return TokenLease(slot=slot, tokens=tokens, ceiling=ceiling)


def test_new_budget_has_no_usage(lab: Lab) -> None:
    assert lab.budgets.usage(KEY) == {}


def test_tokens_are_taken_up_to_the_ceiling_and_not_beyond(lab: Lab) -> None:
    assert lab.budgets.take(KEY, [portion(0, 9)], EXPIRES_AT_S) is None
    assert lab.budgets.take(KEY, [portion(0, 2)], EXPIRES_AT_S) == {0: 9}
    assert lab.budgets.take(KEY, [portion(0, 1)], EXPIRES_AT_S) is None
    assert lab.budgets.usage(KEY) == {0: 10}


def test_several_slots_are_taken_together_or_not_at_all(lab: Lab) -> None:
    assert lab.budgets.take(KEY, [portion(0, 5), portion(9, 5, ceiling=5)], EXPIRES_AT_S) is None
    refused = lab.budgets.take(KEY, [portion(0, 1), portion(3, 1), portion(9, 1, ceiling=5)], EXPIRES_AT_S)
    assert refused == {0: 5, 9: 5}
    assert lab.budgets.usage(KEY) == {0: 5, 9: 5}


def test_portion_above_the_ceiling_is_refused_though_the_budget_is_unused(lab: Lab) -> None:
    assert lab.budgets.take(KEY, [portion(0, 11)], EXPIRES_AT_S) == {}
    assert lab.budgets.usage(KEY) == {}


def test_tenants_names_and_windows_are_kept_apart(lab: Lab) -> None:
    others = [
        BudgetKey(tenant_id="acme-2", name=KEY.name, window=KEY.window),
        BudgetKey(tenant_id=TENANT, name=BudgetName.DUE, window=KEY.window),
        BudgetKey(tenant_id=TENANT, name=KEY.name, window=KEY.window + 1),
    ]
    for key in (KEY, *others):
        assert lab.budgets.take(key, [portion(0, 10)], EXPIRES_AT_S) is None
    assert [dict(lab.budgets.usage(key)) for key in others] == [{0: 10}] * 3


def test_budget_leases_a_whole_minute_by_one_write(lab: Lab) -> None:
    """The largest request: its condition has a part for each second, near the limits of AWS for an expression."""
    whole = [portion(slot, 1) for slot in range(RATE_SLOTS)]
    for _ in range(10):
        assert lab.budgets.take(KEY, whole, EXPIRES_AT_S) is None
    assert lab.budgets.take(KEY, whole, EXPIRES_AT_S) == dict.fromkeys(range(RATE_SLOTS), 10)
