"""Runs L2CAP channels between this package's host and Bumble's, in both roles. Interop/run-channels starts it."""

import interop
import runs

# title, medium, server, client, topic
RUNS = [
    ("L2CAP: Bumble's client and server, on Bumble's controllers (the control)", "bumble", "bumble", "bumble", "channel"),
    ("L2CAP: our client against Bumble's server, on Bumble's controllers", "bumble", "bumble", "ours", "channel"),
    ("L2CAP: Bumble's client against our server, on Bumble's controllers", "bumble", "ours", "bumble", "channel"),
    ("L2CAP: our client against Bumble's server, on our virtual controllers", "radio", "bumble", "ours", "channel"),
    ("L2CAP: Bumble's client against our server, on our virtual controllers", "radio", "ours", "bumble", "channel"),
    ("L2CAP: our client against our server, on our virtual controllers", "radio", "ours", "ours", "channel"),
]

if __name__ == "__main__":
    runs.main("channels", interop.entries(RUNS), workers=3)
