"""Pairs this package's host with Bumble's on the shared radio, in both roles. Interop/run-pairing starts it.

Each run has one process on each side; a restart ends one of them and starts another with the same store. INTEROP_DIRECTORY is where both
users see the digits of the other device."""

import functools
import pathlib
import shutil
import sys
import tempfile
import time

import interop
import pairing_plan
import processes
import results
import runs
from pairing_plan import LEGACY, SECURE
from processes import Process

DEADLINE = 80
# The run in which this host has private addresses as well.
PRIVATE = "private addresses of both"
# The errors of this package and of Bumble. Bumble reports a refused comparison with the reason of a wrong confirm value.
WRONG = ("wrongPasskey", "CONFIRM_VALUE_FAILED")
FAILURES = {
    **{(where, kind): WRONG for where in ("wrong here", "wrong there") for kind in (SECURE, LEGACY)},
    "refused here": ("comparisonFailed", "NUMERIC_COMPARISON_FAILED"),
    "refused there": WRONG,
}
LOST = {
    "central": {"expects": "CBError 14", "theirs_expects": "plain"},
    "peripheral": {"expects": pairing_plan.NO_PAIRING, "theirs_expects": "PIN_OR_KEY_MISSING_ERROR"},
}


def steps_of(role):
    """Returns the plan of a role, and the runs: a title, and the case numbers of each process of this package and of Bumble."""
    plan = pairing_plan.Plan(role)
    steps = []
    numbers = pairing_plan.models(plan, FAILURES) + pairing_plan.ways(plan)
    steps.append(("association models", [numbers], [numbers]))
    numbers = pairing_plan.out_of_band(plan)
    steps.append(("out-of-band data", [numbers], [numbers]))
    address = f"F0:F1:F2:F3:F4:{0x1A if plan.is_central else 0x1B:02X}"
    bond = pairing_plan.bonds(plan, SECURE, address)
    lost = pairing_plan.losses(plan, address, LOST[role])
    steps.append(("bonds with Secure Connections", [bond[:1], bond[1:] + lost], [bond[:2], bond[2:] + lost]))
    bond = pairing_plan.bonds(plan, LEGACY, address.replace("F4", "F5"))
    steps.append(("bonds of legacy pairing", [bond[:1], bond[1:]], [bond[:2], bond[2:]]))
    private = pairing_plan.privacy(plan, address.replace("F4", "F6"))
    steps.append(("private addresses", [private[:2], private[2:]], [private]))
    private = pairing_plan.privacy(plan, address.replace("F4", "F7"), both=True)
    steps.append((PRIVATE, [private[:2], private[2:]], [private]))
    return plan, steps


RUNS = [
    (f"pairing: our {role} with Bumble, {title}", role, index)
    for role in ("central", "peripheral")
    for index, (title, _, _) in enumerate(steps_of(role)[1])
]


class Chain:
    """The processes of one side, one after the other."""

    def __init__(self, start, parts):
        self.start, self.parts, self.done = start, list(parts), []
        self.process = None

    def advance(self):
        """Starts the next process if the present one has ended. Returns whether the chain is complete."""
        if self.process and self.process.exit_code is None:
            return False
        if self.process:
            self.done.append(self.process)
            self.process = None
        if not self.parts:
            return True
        self.process = self.start(self.parts.pop(0))
        return False


def run(role, index, totals):
    started = time.monotonic()
    plan, steps = steps_of(role)
    kind, our_parts, their_parts = steps[index]
    privacy = {"BLUETOOTH_PRIVATE_ADDRESS": "on"} if kind == PRIVATE else {}
    titles = {case["number"]: case["title"] for case in plan.cases}
    totals.meetings = [(results.BUMBLE, role), (results.BUMBLE, "controller")]
    totals.prefix = "pairing: "
    with tempfile.TemporaryDirectory(prefix="interop-") as directory, processes.stopped_at_end():
        path, chains = pathlib.Path(directory), []
        pairing_plan.write(plan, path / "cases")
        environment = {"INTEROP_CASES": path / "cases", "INTEROP_DIRECTORY": path}
        try:
            medium, addresses = interop.start_medium("radio", directory, path / "air.pcapng")
            transport = [address.replace("tcp:", "tcp-client:") for address in addresses][0]

            def ours(numbers):
                return Process(
                    [interop.PROGRAMS / "interop-peer", f"pairing-{role}", *numbers], BLUETOOTH_CONTROLLER=addresses[1],
                    XDG_STATE_HOME=path / "state", **environment, **privacy)

            def theirs(numbers):
                other = "peripheral" if role == "central" else "central"
                return Process([sys.executable, interop.HERE / "bumble_pairing.py", other, transport, *numbers], **environment)

            chains = [Chain(ours, our_parts), Chain(theirs, their_parts)]
            while not all([chain.advance() for chain in chains]):
                if time.monotonic() - started > DEADLINE:
                    raise RuntimeError(f"the run took longer than {DEADLINE} s")
                time.sleep(0.05)
        except (RuntimeError, OSError) as error:
            totals.add(False, "run", str(error))
        for who, chain, parts in zip(("ours", "Bumble"), chains, (our_parts, their_parts)):
            processes_of = chain.done + ([chain.process] if chain.process else [])
            for process, numbers in zip(processes_of, parts):
                totals.add_peer(who, process, process.exit_code, [titles[number] for number in numbers])
            # The processes that did not start have not reported their cases.
            for number in sum(parts[len(processes_of):], []):
                totals.add(False, who, f"{titles[number]}: no process was started for it")
        if chains:
            totals.add(medium.exit_code is None, "medium", "the controllers run until the end")
        if totals.failed:
            kept = pathlib.Path(f".build/pairing-{role}-{index}.pcapng")
            if chains and (path / "air.pcapng").exists():
                medium.stop()
                shutil.copy(path / "air.pcapng", kept)
                print(f"the packets on the air: {kept}", file=sys.stderr)
            for who, chain in zip(("ours", "Bumble"), chains):
                for process in chain.done + ([chain.process] if chain.process else []):
                    processes.print_outputs((who,), [process.lines])


if __name__ == "__main__":
    runs.main("pairing", {title: functools.partial(run, role, index) for title, role, index in RUNS}, workers=3)
