"""Records every world of the tests and reads the captures with tshark. See Interop/captures."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import processes

# The number of packets that tshark reads of each world. A flood contains hundreds of thousands of equal ones.
READ = 20_000


# A host can send on a link until it reads the controller's Disconnect Complete, because the two cross in the transport. tshark reports such a
# packet as "out of any connection handle session". A host in the world's own time reads an event within CROSSING seconds. In a world with a pace,
# hosts are threads and programs behind sockets: the machine decides when they read, for example while they send the read of a device name
# that is due.
CROSSING = 0.005
PACED_CROSSING = 2
LATE = "bthci_acl.invalid_session"
ENDS = "bthci_evt.code == 0x05"
SENT = "4"


def crossings(path):
    """Returns the frames that a host sent while the Disconnect Complete of their link was in transit."""
    result = processes.output_of(
        ["tshark", "-r", path, "-c", str(READ), "-Y", f"{LATE} || {ENDS}", "-T", "fields", "-e", "frame.number", "-e",
         "frame.time_relative", "-e", "hci_mon.adapter_id", "-e", "hci_mon.opcode", "-e", "bthci_evt.connection_handle", "-e",
         "bthci_acl.chandle"], 300)
    ended, found = {}, []
    limit = PACED_CROSSING if os.path.basename(path).startswith("paced-") else CROSSING
    for line in result.stdout.splitlines():
        frame, time, adapter, opcode, closed, handle = line.split("\t")
        if closed:
            ended[adapter, int(closed, 0)] = float(time)
        elif opcode == SENT and float(time) - ended.get((adapter, int(handle, 0)), float("-inf")) <= limit:
            found.append(frame)
    return found


# tshark does not follow the start of encryption, and takes the ciphertext for plaintext (capture_encrypted.py).
ENCRYPTION_STARTS = "btle.control_opcode == 0x05"


def ciphertext(path, condition):
    """Returns the frames with complaints that are on an encrypted link: after LL_START_ENC_REQ under the same access address."""
    result = processes.output_of(
        ["tshark", "-r", path, "-c", str(READ), "-Y", f"{ENCRYPTION_STARTS} || {condition}", "-T", "fields", "-e", "frame.number", "-e",
         "btle.access_address", "-e", "btle.control_opcode"], 300)
    encrypted, found = set(), []
    for line in result.stdout.splitlines():
        frame, link, opcode = line.split("\t")
        if link in encrypted:
            found.append(frame)
        elif opcode and int(opcode, 0) == 0x05:
            encrypted.add(link)
    return found


# The channels 37, 38 and 39 by their frequency (Vol 6, Part B, 1.4.1).
PRIMARY = ("0", "12", "39")


def parts(path, condition):
    """Returns the frames with complaints that hold a part of an advertisement. tshark dissects the data of each PDU, command and report alone, and
    complains about an AD structure that goes on in the next."""
    result = processes.output_of(
        ["tshark", "-r", path, "-c", str(READ), "-Y", f"({condition}) || bthci_evt.le_ext_advts_event_type.data_status == 1", "-T", "fields",
         "-e", "frame.number", "-e", "btle_rf.channel", "-e", "btle.extended_advertising_header.flags.aux_pointer", "-e", "btle.extended_advertising_header.mode", "-e",
         "btle.advertising_address", "-e", "bthci_cmd.adv_data_operation", "-e", "hci_mon.adapter_id", "-e",
         "bthci_evt.le_ext_advts_event_type.data_status", "-e", "bthci_evt.bd_addr"], 300)
    unfinished, found = set(), []
    for line in result.stdout.splitlines():
        frame, channel, pointer, mode, address, operation, adapter, status, advertiser = line.split("\t")
        if mode and channel not in PRIMARY and (pointer in ("1", "True") or not address):
            # AUX_CHAIN_IND has no address, and every PDU but the last one has a pointer. ADV_EXT_IND has no data to go on.
            found.append(frame)
        elif operation and int(operation, 0) != 3:
            # Every command but one with complete data.
            found.append(frame)
        elif status and int(status, 0) == 1:
            unfinished.add((adapter, advertiser))
            found.append(frame)
        elif status and (adapter, advertiser) in unfinished:
            unfinished.remove((adapter, advertiser))
            found.append(frame)
    return found


def errors(path, condition):
    result = processes.output_of(["tshark", "-r", path, "-c", str(READ), "-Y", condition], 300)
    lines = result.stdout.splitlines()
    if lines:
        allowed = set(ciphertext(path, condition) if path.endswith(".pcapng") else crossings(path))
        allowed.update(parts(path, condition))
        lines = [line for line in lines if line.split()[0] not in allowed]
    problems = [f"{os.path.basename(path)}: {line.strip()}" for line in lines[:3]]
    for line in result.stderr.splitlines():
        if not line.startswith("Running as user"):
            problems.append(f"{os.path.basename(path)}: tshark: {line.strip()}")
    return problems


def packets(path):
    result = processes.output_of(["capinfos", "-Mrc", path], 60)
    match = re.search(r"\s(\d+)\s*$", result.stdout.strip())
    return min(READ, int(match[1])) if match else 0


def recorded(bench, folder):
    """The folder with the captures."""
    worlds = os.path.join(folder, "worlds")
    os.mkdir(worlds)
    run = processes.output_of(["Scripts/run-tests", "worlds", "--worlds", worlds, "--limit", "840"], 900)
    problems = [] if run.returncode == 0 else run.stdout.splitlines()[-5:] or ["failed"]
    bench.check("the tests pass while every world is recorded", problems)
    return worlds


def check(bench, folder, condition):
    worlds = recorded(bench, folder)
    for extension, title in ((".pcapng", "the air"), (".btsnoop", "hosts and controllers")):
        paths = [os.path.join(worlds, name) for name in sorted(os.listdir(worlds)) if name.endswith(extension)]
        with ThreadPoolExecutor(2) as pool:
            found = [problem for problems in pool.map(lambda path: errors(path, condition), paths) for problem in problems]
            total = sum(pool.map(packets, paths))
        if len(paths) < 100 or total < 50_000:
            found.append(f"only {len(paths)} worlds with {total} packets were recorded")
        bench.check(f"{total} packets of {title} in {len(paths)} worlds: nothing malformed, no expert error", found)
