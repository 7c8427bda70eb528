"""Boots the guest, prints the output of its scenarios, counts the checks, and ends the guest.
usage: boot.py DIRECTORY [WORD ...]; the directory contains the kernel and the initramfs."""

import base64
import gzip
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

DEADLINE = 1200


def main():
    directory, *words = sys.argv[1:]
    directory = pathlib.Path(directory)
    (kernel,) = directory.glob("kernel/boot/vmlinuz-*")
    console = directory / "console.log"
    # no_timer_check: on a busy machine, the kernel would treat a late timer interrupt as a defect.
    line = "console=ttyS0 no_timer_check loglevel=4 panic=-1 oops=panic " + " ".join(f"interop={word}" for word in words)
    # No KVM, so that the run is the same on machines without it.
    command = [
        "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1280", "-display", "none",
        "-no-reboot", "-nic", "none", "-monitor", "none", "-kernel", kernel, "-initrd", directory / "initramfs", "-append", line,
        "-serial", f"file:{console}", "-serial", "stdio",
    ]  # fmt: skip
    guest = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )

    def stop(*_):
        if guest.poll() is None:
            guest.kill()

    for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(sign, stop)
    timer = threading.Timer(DEADLINE, stop)
    timer.start()
    results = open(os.environ["INTEROP_RESULTS"], "a") if os.environ.get("INTEROP_RESULTS") else None
    passed = failed = 0
    code = None
    for raw in guest.stdout:
        text = raw.decode(errors="replace").rstrip()
        if text.startswith("RESULT "):
            if results:
                results.write(text.removeprefix("RESULT ") + "\n")
                results.flush()
            continue
        if text.startswith("CAPTURE "):
            _, name, content = text.split()
            (directory / name).write_bytes(gzip.decompress(base64.b64decode(content)))
            print(f"  capture of the guest's monitor: {directory / name}", flush=True)
            continue
        if text.startswith("guest: exit code "):
            code = int(text.rpartition(" ")[2])
            continue
        passed += bool(re.match(r"  PASS ", text))
        failed += bool(re.match(r"  FAIL ", text))
        print(text, flush=True)
    guest.wait()
    timer.cancel()
    if code is None or code != (1 if failed else 0):
        failed += 1
        print(f"  FAIL  guest  it ended before its scenarios, or exceeded {DEADLINE} s. The end of its console:")
        for text in console.read_text(errors="replace").splitlines()[-20:] if console.exists() else []:
            print(f"    {text}")
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
