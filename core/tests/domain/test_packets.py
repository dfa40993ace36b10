"""How much of a packet is payload."""

import pytest

from podmeter.domain.packets import by_size_alone, tcp_payload, tcp_share


def test_the_payload_of_a_full_packet_is_what_its_headers_leave():
    assert tcp_payload(1500, timestamps=False) == 1460
    assert tcp_payload(1500, timestamps=True) == 1448
    assert tcp_share(1450, timestamps=False) == pytest.approx(0.97241, abs=1e-5)


@pytest.mark.parametrize("timestamps", [False, True])
def test_at_one_packet_rate_packets_carry_as_their_payloads_are(timestamps):
    assert by_size_alone(1500, 1450, timestamps=timestamps) == pytest.approx(0.9656, abs=4e-4)
    assert by_size_alone(1500, 9000, timestamps=timestamps) > 6
    assert by_size_alone(1450, 1450, timestamps=timestamps) == 1


@pytest.mark.parametrize(("mtu", "timestamps"), [(40, False), (52, True), (0, False)])
def test_a_packet_that_has_no_room_for_payload_is_an_error(mtu, timestamps):
    with pytest.raises(ValueError, match="no room"):
        tcp_payload(mtu, timestamps=timestamps)
