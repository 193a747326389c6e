#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A switch for Ethernet frames that delays them: for kernels without the netem discipline.

    tools/network_switch.py --delay-us N INTERFACE...

Forwards what arrives on one interface to the others, N microseconds later: to the one where the destination was seen, or to all.
Needs the right to open packet sockets (root), and interfaces without offloads: frames longer than the MTU are dropped.
Stops on SIGTERM. tools/network_bed.py starts it.
"""

import argparse
import collections
import select
import socket
import sys
import time

ALL_PROTOCOLS = 0x0003
LONGEST_FRAME = 65536


class Learner:
    """Behind which port an address is."""

    def __init__(self, ports):
        self.ports = list(ports)
        self.port_of = {}

    def targets(self, port, frame):
        """The ports that a frame from `port` goes to."""
        destination, source = frame[:6], frame[6:12]
        self.port_of[source] = port
        is_broadcast = destination[0] & 1
        known = None if is_broadcast else self.port_of.get(destination)
        if known is not None:
            return [] if known == port else [known]
        return [p for p in self.ports if p != port]


class Delay:
    """Frames on their way, in the order of their arrival: the delay is the same for all."""

    def __init__(self, delay_s):
        self.delay_s = delay_s
        self.waiting = collections.deque()

    def put(self, now, port, frame):
        self.waiting.append((now + self.delay_s, port, frame))

    def due(self, now):
        """Those whose time has come."""
        while self.waiting and self.waiting[0][0] <= now:
            yield self.waiting.popleft()[1:]

    def next_in(self, now):
        """Seconds until the next one; nothing: none waits."""
        return max(0.0, self.waiting[0][0] - now) if self.waiting else None


def open_port(interface):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    port.bind((interface, 0))
    port.setblocking(False)
    return port


def take(port, wanted):
    """Frames that lie there, at most `wanted`. What this switch sent itself is not among them."""
    for _ in range(wanted):
        try:
            frame, sender = port.recvfrom(LONGEST_FRAME)
        except (BlockingIOError, OSError):  # also: the link is down
            return
        if sender[2] != socket.PACKET_OUTGOING:
            yield frame


def forward(ports, delay):
    learner = Learner(ports)
    while True:
        ready, _, _ = select.select(ports, [], [], delay.next_in(time.monotonic()))
        now = time.monotonic()
        for port in ready:
            for frame in take(port, 64):
                for target in learner.targets(port, frame):
                    delay.put(now, target, frame)
        for target, frame in delay.due(time.monotonic()):
            try:
                target.send(frame)
            except OSError:
                pass  # the link is down, or its queue is full: a switch drops


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("interfaces", nargs="+")
    words.add_argument("--delay-us", type=float, default=0)
    given = words.parse_args()
    forward([open_port(i) for i in given.interfaces], Delay(given.delay_us / 1e6))


if __name__ == "__main__":
    sys.exit(main())
