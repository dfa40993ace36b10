import pytest

from podmeter.drivers import nginx


def test_the_body_has_as_many_bytes_as_asked_for():
    configuration = nginx.server_argv(8080, 612)[-1]
    assert f'return 200 "{"x" * 612}"' in configuration
    assert "listen 8080 " in configuration


def test_a_named_one_says_who_it_is():
    header = f"add_header {nginx.NAME_HEADER} $hostname;"
    assert header in nginx.server_argv(8080, 9, named=True)[-1]
    assert "add_header" not in nginx.server_argv(8080, 9)[-1]


@pytest.mark.parametrize("size", [0, 4001])
def test_a_body_that_does_not_fit_is_refused(size):
    with pytest.raises(ValueError, match=str(size)):
        nginx.server_argv(8080, size)


def test_the_version(captured):
    assert nginx.parse_version(captured("nginx-1.26.3", "version")) == "1.26.3"
