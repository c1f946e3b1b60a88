"""A bounded cache: what stays and what goes when it is full."""

from shared.domain.bounded_cache import BoundedCache


def filled(size: int, count: int) -> BoundedCache[int, int]:
    cache: BoundedCache[int, int] = BoundedCache(size)
    for number in range(count):
        cache[number] = number
    return cache


def test_full_cache_evicts_only_its_oldest_entry() -> None:
    cache = filled(10_000, 10_001)
    assert (len(cache), 0 in cache, 1 in cache, 10_000 in cache) == (10_000, False, True, True)


def test_entry_that_is_written_again_becomes_the_youngest() -> None:
    cache = filled(3, 3)
    cache[0] = 7
    cache[3] = 3
    assert dict(cache) == {2: 2, 0: 7, 3: 3}


def test_default_that_is_set_counts_as_an_entry() -> None:
    cache = filled(2, 2)
    assert cache.setdefault(9, 9) == 9
    assert list(cache) == [1, 9]
