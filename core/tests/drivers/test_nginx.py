import pytest

from podmeter.drivers import nginx


def test_the_body_has_as_many_bytes_as_asked_for():
    configuration = nginx.server_argv(8080, 612)[-1]
    assert f'return 200 "{"x" * 612}"' in configuration
    assert "listen 8080 " in configuration


@pytest.mark.parametrize("size", [0, 4001])
def test_a_body_that_does_not_fit_is_refused(size):
    with pytest.raises(ValueError, match=str(size)):
        nginx.server_argv(8080, size)


def test_the_version(captured):
    assert nginx.parse_version(captured("nginx-1.26.3", "version")) == "1.26.3"
