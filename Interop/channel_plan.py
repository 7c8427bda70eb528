"""What both sides of a run with L2CAP channels agree on. Interop/Peer/ChannelPlan.swift says the same in Swift."""

from plan import NAME, REMOTE_USER_TERMINATED, SERVICE, TERMINATED_BY_LOCAL_HOST, Report  # noqa: F401

# Holds the number of the service, little endian; the client reads it.
PSM_CHARACTERISTIC = "ABDD3056-28FA-441D-A470-55A75A52553A"
# Nobody listens there.
WRONG_PSM = 0x00F1

# The client sends this, the server sends it back.
DATA = bytes((7 * i + (i >> 8)) & 0xFF for i in range(40_000))
# The server sends this on each second channel, and closes it.
GOODBYE = bytes((11 * i + 1) & 0xFF for i in range(3_000))

CLIENT_CHECKS = ["wrong number", "echo", "closed by the server", "goodbye"]
SERVER_CHECKS = ["channel", "closed by the client"]
