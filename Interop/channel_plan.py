"""The values that both sides of a run with L2CAP channels expect. Interop/interop-peer/ChannelPlan.swift is the Swift version."""

from plan import NAME, REMOTE_USER_TERMINATED, SERVICE, TERMINATED_BY_LOCAL_HOST, Report  # noqa: F401

# Contains the SPSM in little endian, for the client.
PSM_CHARACTERISTIC = "ABDD3056-28FA-441D-A470-55A75A52553A"
# No server listens on this SPSM.
WRONG_PSM = 0x00F1

# The client sends this data, and the server returns it.
DATA = bytes((7 * i + (i >> 8)) & 0xFF for i in range(40_000))
# The server sends this data on each second channel, then closes the channel.
GOODBYE = bytes((11 * i + 1) & 0xFF for i in range(3_000))

CLIENT_CHECKS = ["wrong number", "echo", "closed by the server", "goodbye"]
SERVER_CHECKS = ["channel", "closed by the client"]
