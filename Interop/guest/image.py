"""Creates the initramfs of the guest: drivers of the kernel, programs of this machine, and their libraries.
usage: image.py KERNEL_DIRECTORY PACKAGES OUTPUT PROGRAM ...; the guest has the programs in /opt, and the Python packages in the directory PACKAGES."""

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
PROGRAMS = [
    "dbus-daemon", "btvirt", "btmgmt", "bluetoothctl", "hciconfig", "python3", "/usr/libexec/bluetooth/bluetoothd",
]
APPLETS = [
    "sh", "mount", "mkdir", "insmod", "rmmod", "cat", "echo", "ls", "stty", "poweroff", "reboot", "ip", "ln", "sleep", "ps", "dmesg",
    "base64", "gzip", "kill", "su", "id", "env", "head", "tail", "grep", "rfkill",
]
FILES = ["/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.conf", "/etc/bluetooth/main.conf"]
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
        paths = {path.name.removesuffix(".ko").replace("-", "_"): path for path in pathlib.Path(kernel).rglob("*.ko")}
        order = []

        def visit(name):
            path = paths.get(name)
            if path is None or name in order:
                return  # built into the kernel
            content = path.read_bytes()
            needed = re.search(rb"\0depends=([^\0]*)\0", content)
            for other in (needed.group(1).decode().split(",") if needed else []):
                visit(other.replace("-", "_"))
            order.append(name)
            self.archive.add(f"lib-modules/{name}.ko", content)

        for name in MODULES:
            visit(name.replace("-", "_"))
        self.archive.add("lib-modules/order", "".join(f"{name}\n" for name in order).encode())


def main():
    kernel, packages, output, *programs = sys.argv[1:]
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
    image.tree(packages, "/usr/lib/python3/dist-packages")
    for path in FILES:
        if os.path.exists(path):
            image.archive.add(path, pathlib.Path(path).read_bytes())
    image.archive.add("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nmessagebus:x:100:100::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
                      b"someone:x:1000:1000::/home/someone:/bin/sh\n")
    image.archive.add("etc/group", b"root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nnogroup:x:65534:\nsomeone:x:1000:\n")
    image.archive.add("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files\n")
    image.archive.add("etc/machine-id", b"0c0b0c0b0c0b0c0b0c0b0c0b0c0b0c0b\n")
    image.modules(kernel)
    image.archive.add("init", (HERE / "inside" / "init").read_bytes(), 0o755)
    image.archive.add("usr/bin/swift", (HERE / "inside" / "swift").read_bytes(), 0o755)
    image.archive.add("opt/BlueZ.md", (INTEROP.parent / "Documentation" / "BlueZ.md").read_bytes())
    for path in sorted((HERE / "inside").glob("*.py")) + [INTEROP / name for name in ("plan.py", "channel_plan.py", "pairing_plan.py", "processes.py")]:
        image.archive.add(f"opt/{path.name}", path.read_bytes())
    image.archive.close()


if __name__ == "__main__":
    main()
