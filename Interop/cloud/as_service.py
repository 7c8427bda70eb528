"""Runs a command with the limits of a systemd unit, where systemd itself does not run:

    python as_service.py UNIT FOLDER COMMAND ...

FOLDER stands for the state and the runtime folder. These settings of the unit hold, as systemd.exec(5) describes them: User (DynamicUser), the capabilities,
NoNewPrivileges, ProtectSystem=strict, RestrictAddressFamilies, SystemCallFilter, SystemCallArchitectures and UMask. The command needs root, which it gives up.
"""

import ctypes
import os
import pathlib
import subprocess
import sys

NOBODY = "65534"
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_BLUETOOTH": 31}
EPERM, EAFNOSUPPORT, EQUAL = 1, 97, 4


def read_unit(path):
    """The settings of the section Service: the values of each name, in their order."""
    settings, section = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            settings.setdefault(name, []).append(value)
    return settings


class Comparison(ctypes.Structure):
    """The struct scmp_arg_cmp of libseccomp."""

    _fields_ = [("argument", ctypes.c_uint), ("operation", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


def system_calls(group):
    """The names of the system calls in a group such as @system-service, as systemd knows them."""
    names = set()
    for line in subprocess.run(["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True).stdout.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            names |= system_calls(name)
        elif name and not name.startswith("#"):
            names.add(name)
    return names


def restrict(settings):
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    filters = ctypes.c_void_p(library.seccomp_init(ERRNO | EPERM))
    names = set()
    for group in settings["SystemCallFilter"][0].split():
        names |= system_calls(group) if group.startswith("@") else {group}
    for name in names - {"socket"}:
        number = library.seccomp_syscall_resolve_name(name.encode())
        # A system call of another architecture has a negative number.
        if number >= 0:
            library.seccomp_rule_add_array(filters, ALLOW, number, 0, None)
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in settings["RestrictAddressFamilies"][0].split():
        comparison = Comparison(0, EQUAL, FAMILIES[family], 0)
        assert library.seccomp_rule_add_array(filters, ALLOW, number, 1, ctypes.byref(comparison)) == 0
    assert library.seccomp_load(filters) == 0, "the filter was refused"


def main():
    unit, folder, *command = sys.argv[1:]
    settings = read_unit(unit)
    if os.environ.pop("AS_SERVICE", None):
        os.umask(int(settings["UMask"][0], 8))
        restrict(settings)
        os.execv(command[0], command)
    # Everything but the folder is read-only, in a mount namespace of this process alone.
    mounts = 'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,ro,bind / && exec "$@"'
    bounding, ambient = (
        ",".join(["-all"] + ["+" + name.removeprefix("CAP_").lower() for name in settings[key][0].split()])
        for key in ("CapabilityBoundingSet", "AmbientCapabilities"))
    os.environ["AS_SERVICE"] = "1"
    os.execvp("unshare", [
        "unshare", "--mount", "bash", "-c", mounts, folder, "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs",
        f"--inh-caps={ambient}", f"--ambient-caps={ambient}", f"--bounding-set={bounding}", sys.executable, "-B", os.path.abspath(__file__), unit, folder, *command])


if __name__ == "__main__":
    main()
