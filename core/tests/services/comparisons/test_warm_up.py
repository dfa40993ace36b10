from podmeter.services.comparisons.warm_up import warm_up
from podmeter.statistics.rank_test import _null_of_sizes


def test_it_knows_the_shapes_of_the_profiles() -> None:
    warm_up()
    before = _null_of_sizes.cache_info().misses
    _null_of_sizes(((2, 2),) * 6)
    _null_of_sizes(((2, 2),) * 12)
    assert _null_of_sizes.cache_info().misses == before
