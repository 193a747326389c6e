#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What network_switch.py does with frames, without a network."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
from network_switch import Delay, Learner  # noqa: E402

BROADCAST = b"\xff" * 6


def address(n):
    return bytes([2, 0, 0, 0, 0, n])


class Learning(unittest.TestCase):
    def test_what_is_not_known_goes_to_all_others(self):
        switch = Learner(["a", "b", "c"])
        self.assertEqual(switch.targets("a", address(2) + address(1)), ["b", "c"])
        self.assertEqual(switch.targets("a", BROADCAST + address(1)), ["b", "c"])

    def test_an_address_is_where_it_was_seen_last(self):
        switch = Learner(["a", "b", "c"])
        switch.targets("b", BROADCAST + address(2))
        self.assertEqual(switch.targets("a", address(2) + address(1)), ["b"])
        switch.targets("c", BROADCAST + address(2))
        self.assertEqual(switch.targets("a", address(2) + address(1)), ["c"])

    def test_nothing_goes_back_to_where_it_came_from(self):
        switch = Learner(["a", "b"])
        switch.targets("a", BROADCAST + address(1))
        self.assertEqual(switch.targets("a", address(1) + address(3)), [])


class Waiting(unittest.TestCase):
    def test_frames_leave_in_order_when_their_time_has_come(self):
        delay = Delay(2)
        self.assertIsNone(delay.next_in(10))
        delay.put(10, "a", b"first")
        delay.put(11, "b", b"second")
        self.assertEqual(list(delay.due(11.9)), [])
        self.assertEqual(delay.next_in(11), 1)
        self.assertEqual(list(delay.due(12.5)), [("a", b"first")])
        self.assertEqual(list(delay.due(20)), [("b", b"second")])
        self.assertIsNone(delay.next_in(20))


if __name__ == "__main__":
    case_report.main()
