"""Ports for the servers of runs and tests that take place at the same time."""

import random
import socket

# Below those that Linux gives to connections.
PORTS = range(20_000, 32_000)
_reserved = []


def free_port():
    """A port that no other run takes, and that the system gives to no connection. An address of the abstract name space reserves it as long as this
    process runs: the server binds the port later, and another run could find it free in between."""
    # check-tests: random: the order in which ports are tried, so that two runs seldom try the same one.
    for port in random.sample(PORTS, len(PORTS)):
        reservation, probe = socket.socket(socket.AF_UNIX), socket.socket()
        try:
            reservation.bind(f"\0opencorebluetooth-port-{port}")
            probe.bind(("127.0.0.1", port))
        except OSError:
            reservation.close()
            continue
        finally:
            probe.close()
        _reserved.append(reservation)
        return port
    raise RuntimeError("no port is free")
