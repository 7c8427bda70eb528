"""Runs L2CAP channels between our host and Bumble's, in both roles, like interop.py its attributes. Started by
Interop/run-channels."""

import os
import sys
import tempfile
import time

import channel_plan as plan
import results
from interop import HERE, LOCAL_ENDS, PROGRAMS, RUN_DEADLINE, STACKS, START_DEADLINE, Process, carry_out_runs, start_medium

# title, medium, server, client
RUNS = [
    ("L2CAP: Bumble's client and server, on Bumble's controllers (the control)", "bumble", "bumble", "bumble"),
    ("L2CAP: our client against Bumble's server, on Bumble's controllers", "bumble", "bumble", "ours"),
    ("L2CAP: Bumble's client against our server, on Bumble's controllers", "bumble", "ours", "bumble"),
    ("L2CAP: our client against Bumble's server, on our virtual controllers", "radio", "bumble", "ours"),
    ("L2CAP: Bumble's client against our server, on our virtual controllers", "radio", "ours", "bumble"),
    ("L2CAP: our client against our server, on our virtual controllers", "radio", "ours", "ours"),
]


def start_peer(kind, role, address, directory):
    if kind == "bumble":
        transport = address.replace("tcp:", "tcp-client:") if address.startswith("tcp:") else address
        return Process([sys.executable, HERE / "bumble_channels.py", role, transport])
    return Process(
        [PROGRAMS / "interop-peer", f"channel-{role}"],
        BLUETOOTH_CONTROLLER=address,
        XDG_STATE_HOME=f"{directory}/state-{role}",
    )


def run(title, medium_kind, server_kind, client_kind, totals):
    print(f"\n{title}", flush=True)
    before, started = totals.failed, time.monotonic()
    totals.meetings = results.meetings(STACKS[medium_kind], STACKS[server_kind], STACKS[client_kind])
    totals.prefix = "L2CAP channel: "
    with tempfile.TemporaryDirectory(prefix="interop-") as directory:
        processes = []
        os.environ["INTEROP_LOCAL_END"] = LOCAL_ENDS.get(medium_kind, "0x16")
        try:
            medium, addresses = start_medium(medium_kind, directory)
            processes.append(medium)
            server = start_peer(server_kind, "server", addresses[0], directory)
            processes.append(server)
            server.wait_for_line("READY", START_DEADLINE)
            client = start_peer(client_kind, "client", addresses[1], directory)
            processes.append(client)
            client_code = client.wait(RUN_DEADLINE)
            server_code = server.wait(10)
            totals.add_peer("client", client, client_code, plan.CLIENT_CHECKS)
            totals.add_peer("server", server, server_code, plan.SERVER_CHECKS)
        except (RuntimeError, OSError) as error:
            totals.add(False, "run", str(error))
        finally:
            outputs = [list(process.lines) for process in processes]
            for process in reversed(processes):
                process.stop()
        if totals.failed > before:
            for name, lines in zip(("controllers", "server", "client"), outputs):
                print(f"  output of the {name}:" + ("" if lines else " none"))
                for line in lines[-40:]:
                    print(f"    {line}")
    print(f"  {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(carry_out_runs(RUNS, run))
