"""A container in which systemd itself is the first process. Its disk is this machine's, and what it changes stays in memory."""

import os
import pathlib
import subprocess

from commands import LIMIT, wait_for

# The services of this machine do not start in it.
TARGET = "[Unit]\nRequires=basic.target\nAfter=basic.target\nAllowIsolate=yes\n"


class NoContainer(RuntimeError):
    """This machine does not let a container start."""


class Container:
    """`root` is its disk, for files before and after the start. It has the network of this machine, and may configure it."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        self.root = folder / "root"
        folder.mkdir()
        self._mount("tmpfs", folder, "size=256m")
        for name in ("root", "changes", "work"):
            (folder / name).mkdir()
        try:
            self._mount("overlay", self.root, f"lowerdir=/,upperdir={folder}/changes,workdir={folder}/work")
        except NoContainer:
            self._unmount(folder)
            raise
        self.write("/etc/systemd/system/alone.target", TARGET)

    def _mount(self, kind, place, options):
        result = subprocess.run(["mount", "-t", kind, "-o", options, kind, place], capture_output=True, text=True)
        assert result.returncode == 0 or "ermission denied" in result.stderr, result.stderr
        if result.returncode != 0:
            raise NoContainer(result.stderr.strip())

    def _unmount(self, place):
        subprocess.run(["umount", "--lazy", place], check=True)

    def path(self, name):
        return self.root / str(name).lstrip("/")

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def start(self, **files):
        """Each of `files` is a path in the container with one of this machine, which it can read."""
        binds = [f"--bind-ro={ours}:{theirs}" for theirs, ours in files.items()]
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--link-journal=no", "--resolv-conf=off", "--timezone=off", "--console=pipe", "--capability=CAP_NET_ADMIN",
             f"--machine=bluetooth-{os.getpid()}", f"--directory={self.root}", *binds, "--boot", "--", "--unit=alone.target"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_for(self._is_up, LIMIT, lambda: f"systemd does not start: {self.output()[-2000:]}")
        return self

    def output(self):
        return (self.folder / "log").read_text(errors="replace")

    def _is_up(self):
        if self.process.poll() is not None:
            output = self.output().strip()[-500:]
            assert "not permitted" in output or "ermission denied" in output, f"systemd ended: {output}"
            raise NoContainer(output)
        return self._first_process() and self.run("systemctl", "is-active", "alone.target", check=False).stdout == "active\n"

    def _first_process(self):
        """The process that is number 1 in the container, by the number that it has here."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines():
                if line.startswith("NSpid:") and len(line.split()) > 2 and line.split()[-1] == "1":
                    return child
        return None

    def run(self, *command, check=True):
        """Runs a program in the container as root."""
        enter = ["nsenter", f"--target={self._first_process()}", "--mount", "--uts", "--ipc", "--pid", "--cgroup"]
        return subprocess.run([*enter, *command], check=check, capture_output=True, text=True, timeout=LIMIT)

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(LIMIT)
            self.log.close()
        self._unmount(self.root)
        self._unmount(self.folder)
