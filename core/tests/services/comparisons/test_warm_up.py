from podmeter.services.comparisons.warm_up import warm_up
from podmeter.statistics.rank_test import _null_of_sizes


def test_it_knows_the_shapes_of_the_profiles() -> None:
    warm_up()
    before = _null_of_sizes.cache_info().misses
    _null_of_sizes(((5, 5),))
    _null_of_sizes(((7, 7), (7, 7), (7, 7)))
    assert _null_of_sizes.cache_info().misses == before
