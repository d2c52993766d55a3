"""PTF's tests for three_switches.py: packets come in at port 1, a switch, and leave at port 3, another one."""

import ptf
from ptf import testutils
from ptf.base_tests import BaseTest


class Across(BaseTest):
    def setUp(self) -> None:
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()


class Forwarded(Across):
    """Two switches on the way: the TTL is smaller by two, the MAC addresses are those of the last hop."""

    def runTest(self) -> None:
        sent = testutils.simple_udp_packet(ip_src="10.91.0.1", ip_dst="10.93.0.1", ip_ttl=64)
        expected = testutils.simple_udp_packet(
            eth_dst="02:00:00:00:00:99", eth_src="02:00:00:00:01:99", ip_src="10.91.0.1", ip_dst="10.93.0.1", ip_ttl=62
        )
        testutils.send_packet(self, 1, sent)
        testutils.verify_packet(self, expected, 3)


class NotForwarded(Across):
    """No route, and a TTL that is over."""

    def runTest(self) -> None:
        testutils.send_packet(self, 1, testutils.simple_udp_packet(ip_dst="10.99.0.1"))
        testutils.send_packet(self, 1, testutils.simple_udp_packet(ip_dst="10.93.0.1", ip_ttl=1))
        testutils.verify_no_other_packets(self)
