from podmeter.services.snapshots.method_texts import TEXTS, statistics
from podmeter.statistics import METHOD_VERSION
from podmeter.texts import documents_in, languages


def test_every_version_of_the_method_is_told_in_each_language() -> None:
    assert list(TEXTS) == list(range(1, METHOD_VERSION + 1))
    for language in languages():
        with documents_in(language):
            told = [statistics(version) for version in TEXTS]
        assert len(set(told)) == METHOD_VERSION, language
