"""Creates the initramfs of the guest: drivers of the kernel, programs of this machine, and their libraries.
usage: image.py PACKAGES PYTHON OUTPUT PROGRAM ...; PACKAGES is the directory of Debian's unpacked kernel, and of BlueZ if that of this machine is
not wanted, PYTHON that of Python packages. The guest has the programs in /opt."""

import lzma
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
INTEROP = HERE.parent

# Drivers of the kernel in loading order. The script adds their dependencies.
MODULES = [
    # The kernel tests ecdh_generic, which Secure Connections needs, with the default random number generator.
    "sha3_generic", "sha512_generic", "ctr", "jitterentropy_rng", "drbg", "ecdh_generic",
    "bluetooth", "hci_vhci", "ecb", "cmac", "uhid", "algif_hash", "algif_skcipher", "rfkill",
]
PROGRAMS = ["dbus-daemon", "python3"]
BLUEZ = ["btvirt", "btmgmt", "bluetoothctl", "hciconfig", "hci-tester", "bluetoothd"]
APPLETS = [
    "sh", "mount", "mkdir", "insmod", "rmmod", "cat", "echo", "ls", "stty", "poweroff", "reboot", "ip", "ln", "sleep", "ps", "dmesg",
    "base64", "gzip", "kill", "su", "id", "env", "head", "tail", "grep", "rfkill",
]
FILES = ["etc/dbus-1/system.d/bluetooth.conf", "usr/share/dbus-1/system.d/bluetooth.conf", "etc/bluetooth/main.conf"]
FOLDERS = "usr/bin:usr/sbin:bin:sbin:usr/libexec/bluetooth".split(":")
# Parts of Python's library that the guest does not need.
LEFT_OUT = re.compile(
    r"^(test|config-.*|lib2to3|pydoc_data|distutils|idlelib|tkinter|turtledemo|ensurepip|venv|unittest|sqlite3|curses|wsgiref|xmlrpc|"
    r"__pycache__/.*\.opt-[12]\.pyc)$"
)


class Archive:
    """A cpio archive in the kernel's format, with the parent directories of each entry."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.entries = set()
        self.count = 0

    def _entry(self, name, mode, content=b"", device=(0, 0), time=0):
        self.count += 1
        encoded = name.encode() + b"\0"
        numbers = (self.count, mode, 0, 0, 1, time, len(content), 0, 0, *device, len(encoded), 0)
        header = b"070701" + b"".join(b"%08X" % number for number in numbers) + encoded
        self.file.write(header + b"\0" * (-len(header) % 4))
        self.file.write(content + b"\0" * (-len(content) % 4))

    def directory(self, name):
        name = name.strip("/")
        if not name or name in self.entries:
            return
        self.directory(os.path.dirname(name))
        self.entries.add(name)
        self._entry(name, stat.S_IFDIR | 0o755)

    def add(self, name, content, mode=0o644, time=0):
        name = name.strip("/")
        if name in self.entries:
            return
        self.directory(os.path.dirname(name))
        self.entries.add(name)
        self._entry(name, stat.S_IFREG | mode, content, time=time)

    def link(self, name, target):
        name = name.strip("/")
        if name in self.entries:
            return
        self.directory(os.path.dirname(name))
        self.entries.add(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def device(self, name, major, minor):
        self.directory(os.path.dirname(name))
        self._entry(name.strip("/"), stat.S_IFCHR | 0o666, device=(major, minor))

    def close(self):
        self._entry("TRAILER!!!", 0)
        self.file.close()


def dereferenced(path):
    """Replaces the directory links of this machine (/lib is /usr/lib), which the guest has too, by names below /usr."""
    path = str(path)
    return "/usr" + path if re.match(r"/(lib|lib64|bin|sbin)/", path) else path


def found_in(root, program):
    """The path of a program below `root`, or None."""
    return shutil.which(program, path=":".join(f"{root}/{folder}" for folder in FOLDERS))


def libraries(program):
    output = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", output)


class Image:
    def __init__(self, output):
        self.archive = Archive(output)
        for name in ("lib", "lib64", "bin", "sbin"):
            self.archive.link(name, "usr/" + name)
            self.archive.directory("usr/" + name)
        for name in ("proc", "sys", "dev", "run", "tmp", "root", "var/lib/bluetooth", "opt"):
            self.archive.directory(name)
        self.archive.link("var/run", "/run")
        self.archive.device("dev/console", 5, 1)

    def program(self, path, name=None):
        path = os.path.realpath(path)
        self.archive.add(name or dereferenced(path), pathlib.Path(path).read_bytes(), 0o755)
        self.libraries(path)

    def libraries(self, path):
        for library in libraries(path):
            self.archive.add(dereferenced(library), pathlib.Path(library).read_bytes(), 0o755)

    def foreign(self, root, name):
        """Adds a program of another release, which needs the libraries of that release."""
        folders = ":".join(f"{root}/{folder}/x86_64-linux-gnu{more}" for folder in ("usr/lib", "lib") for more in ("", "/systemd"))
        (loader,) = (path for path in pathlib.Path(root).glob("**/ld-linux-x86-64.so.2") if path.parent.name == "lib64")
        path = found_in(root, name)
        output = subprocess.run([loader, "--library-path", folders, "--list", path], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+) \(0x", output):
            self.archive.add(f"release/lib/{os.path.basename(library)}", pathlib.Path(library).read_bytes(), 0o755)
        # The kernel names a process by its first file.
        self.archive.add(f"release/loaders/{name}", loader.read_bytes(), 0o755)
        self.archive.add(f"release/bin/{name}", pathlib.Path(path).read_bytes(), 0o755)
        command = f'#!/bin/sh\nexec /release/loaders/{name} --argv0 {name} --library-path /release/lib /release/bin/{name} "$@"\n'
        self.archive.add(f"usr/bin/{name}", command.encode(), 0o755)

    def bluez(self, packages):
        """Adds BlueZ from unpacked packages if they have it, else that of this machine."""
        root = packages if found_in(packages, "bluetoothd") else "/"
        for name in BLUEZ:
            if not (path := found_in(root, name)):
                sys.exit(f"image: {name} is not installed")
            elif root == "/":
                self.program(path, f"usr/bin/{name}")
            else:
                self.foreign(root, name)
        for name in FILES:
            path = pathlib.Path(root, name)
            if path.exists():
                self.archive.add(name, path.read_bytes())

    def python(self):
        library = pathlib.Path(f"/usr/lib/python3.{sys.version_info.minor}")
        for directory, directories, files in os.walk(library, followlinks=False):
            inside = os.path.relpath(directory, library)
            directories[:] = [d for d in directories if not LEFT_OUT.match(os.path.normpath(os.path.join(inside, d)))]
            for name in files:
                path = os.path.join(directory, name)
                if re.search(r"\.opt-[12]\.pyc$", name) or not os.path.exists(path):
                    continue
                if name.endswith(".so"):
                    self.program(path)
                else:
                    self.file(path, path)
        self.tree("/usr/lib/python3/dist-packages/dbus_next", "/usr/lib/python3/dist-packages/dbus_next")

    def tree(self, root, name):
        for path in pathlib.Path(root).rglob("*"):
            if path.is_file():
                self.file(path, os.path.join(name, path.relative_to(root)))
                if path.suffix == ".so":
                    self.libraries(path)

    def file(self, path, name):
        """Adds a file with its time, which the compiled form of a Python file has to match."""
        self.archive.add(str(name), pathlib.Path(path).read_bytes(), time=int(os.stat(path).st_mtime))

    def modules(self, kernel):
        """Adds the drivers and their loading order."""
        paths = {path.name.partition(".ko")[0].replace("-", "_"): path for path in pathlib.Path(kernel).glob("**/kernel/**/*.ko*")}
        order = []

        def visit(name):
            path = paths.get(name)
            if path is None or name in order:
                return  # built into the kernel
            content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
            needed = re.search(rb"\0depends=([^\0]*)\0", content)
            for other in (needed.group(1).decode().split(",") if needed else []):
                visit(other.replace("-", "_"))
            order.append(name)
            self.archive.add(f"lib-modules/{name}.ko", content)

        for name in MODULES:
            visit(name.replace("-", "_"))
        self.archive.add("lib-modules/order", "".join(f"{name}\n" for name in order).encode())


def main():
    packages, python, output, *programs = map(os.path.abspath, sys.argv[1:])
    image = Image(output)
    image.program(shutil.which("busybox"), "usr/bin/busybox")
    for applet in APPLETS:
        image.archive.link(f"usr/bin/{applet}", "busybox")
    for program in PROGRAMS:
        found = shutil.which(program, path="/usr/bin:/usr/sbin:/bin:/sbin") or sys.exit(f"image: {program} is not installed")
        name = os.path.basename(program)
        image.program(found, f"usr/bin/{name}")
    for program in programs:
        image.program(program, "opt/" + os.path.basename(program))
    image.python()
    image.tree(python, "/usr/lib/python3/dist-packages")
    image.bluez(packages)
    image.archive.add("usr/share/dbus-1/system.conf", pathlib.Path("/usr/share/dbus-1/system.conf").read_bytes())
    image.archive.add("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nmessagebus:x:100:100::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
                      b"someone:x:1000:1000::/home/someone:/bin/sh\n")
    image.archive.add("etc/group", b"root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nnogroup:x:65534:\nsomeone:x:1000:\n")
    image.archive.add("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files\n")
    image.archive.add("etc/machine-id", b"0c0b0c0b0c0b0c0b0c0b0c0b0c0b0c0b\n")
    image.modules(packages)
    image.archive.add("init", (HERE / "inside" / "init").read_bytes(), 0o755)
    image.archive.add("usr/bin/swift", (HERE / "inside" / "swift").read_bytes(), 0o755)
    for name in ("BlueZ.md", "foreign-suites.tsv"):
        image.archive.add(f"opt/{name}", (INTEROP.parent / "Documentation" / name).read_bytes())
    for path in sorted((HERE / "inside").glob("*.py")) + [INTEROP / name for name in ("plan.py", "channel_plan.py", "pairing_plan.py", "processes.py")]:
        image.archive.add(f"opt/{path.name}", path.read_bytes())
    image.archive.close()


if __name__ == "__main__":
    main()
