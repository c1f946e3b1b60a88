"""The fair cache: its bound, and whose entry a new one evicts."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.fair_cache import FairCache

TENANTS = ("acme", "globex", "initech")


def test_fair_cache_returns_what_was_put_last_and_nothing_else() -> None:
    cache = FairCache[tuple[str, str], int](3)
    cache.put(("acme", "a"), 1)
    cache.put(("acme", "a"), 2)
    assert (cache.get(("acme", "a")), cache.get(("acme", "b")), cache.get(("globex", "a"))) == (2, None, None)
    cache.remove(("acme", "a"))
    cache.remove(("acme", "a"))
    assert (cache.get(("acme", "a")), len(cache)) == (None, 0)


def test_fair_cache_evicts_the_oldest_entry_of_the_tenant_with_the_most() -> None:
    cache = FairCache[tuple[str, str], int](3)
    for number, key in enumerate((("globex", "x"), ("acme", "a"), ("acme", "b"), ("acme", "c"))):
        cache.put(key, number)
    assert [cache.get(key) for key in (("globex", "x"), ("acme", "a"), ("acme", "b"))] == [0, None, 2]


def test_fair_cache_counts_an_entry_that_is_put_again_as_the_youngest() -> None:
    cache = FairCache[tuple[str, str], int](2)
    for key in (("acme", "a"), ("acme", "b"), ("acme", "a"), ("acme", "c")):
        cache.put(key, 1)
    assert (cache.get(("acme", "a")), cache.get(("acme", "b"))) == (1, None)


@given(st.lists(st.tuples(st.sampled_from(TENANTS), st.integers(0, 9).map(str), st.booleans())))
def test_fair_cache_never_holds_more_than_its_size_and_never_the_last_entry_of_a_small_tenant(
    steps: list[tuple[str, str, bool]],
) -> None:
    cache, held = FairCache[tuple[str, str], int](4), set[tuple[str, str]]()
    for tenant, name, removes in steps:
        key = (tenant, name)
        if removes:
            cache.remove(key)
        else:
            cache.put(key, 1)
        held = {each for each in held | {key} if cache.get(each) is not None}
        assert len(cache) == len(held) <= 4
        assert removes or key in held
