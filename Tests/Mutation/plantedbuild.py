"""Builds the tests with planted faults, from the last debug build: each target with faults is compiled again, apart, with the command of that build, and the
test program is linked again with the new objects. The sources and the build folder stay as they are, and no other target is compiled."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
FOLDER = BUILD / "mutate"
PRODUCT = "OpenCoreBluetoothPackageTests"
MOST_ROUNDS = 6
MOST_FAULTS = 1 << 16
SWITCH = """import Glibc

@usableFromInline let plantedFault = getenv("PLANTED_FAULT").flatMap { Int(String(cString: $0)) } ?? 0

/// One octet for each fault, in a file that outlives the process.
@usableFromInline nonisolated(unsafe) let plantedReached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("PLANTED_REACHED") else { return nil }
    let file = open(path, O_RDWR)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let memory = mmap(nil, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
}()

/// Whether a fault is planted in this run. Notes that its place is reached.
@usableFromInline @inline(never) func planted(_ number: Int) -> Bool {
    plantedReached?[number] = 1
    return plantedFault == number
}
""".replace("MOST", str(MOST_FAULTS))
# What the command of the build writes beside the objects, and how many words each option has.
WRITES = {
    "-emit-dependencies": 1, "-emit-module": 1, "-emit-module-path": 2, "-output-file-map": 2, "-incremental": 1, "-parseable-output": 1,
    "-index-store-path": 2, "-emit-objc-header": 1, "-emit-objc-header-path": 2, "-serialize-diagnostics": 1, "-enable-batch-mode": 1, "-num-threads": 2,
}  # fmt: skip


class BuildFailure(Exception):
    pass


def debug_build():
    """The ordinary debug build of the tests. BUILD_OPTIONS, if set, has more options of `swift build`."""
    options = os.environ.get("BUILD_OPTIONS", "").split()
    result = subprocess.run(["swift", "build", *options, "--product", PRODUCT], capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        raise BuildFailure((result.stdout + result.stderr)[-6000:])


class Commands:
    """The commands of the debug build."""

    def __init__(self):
        self.compile, self.link = {}, None
        name = None
        for line in (BUILD / "debug.yaml").read_text().split("\n"):
            entry = re.match(r'  "C\.(\w+)-[^"]*\.(module|exe|test)":', line)
            if line.startswith('  "'):
                name = entry and entry[1] + "." + entry[2]
            elif name and line.startswith("    args: "):
                words = json.loads(line[10:])
                if name.endswith(".module"):
                    self.compile[name[:-7]] = words
                elif f"/{PRODUCT}.xctest" in line:
                    self.link = words
        if not self.compile or not self.link:
            raise BuildFailure(f"{BUILD}/debug.yaml has no commands for {PRODUCT}: build the tests first.")
        self.program = pathlib.Path(self.link[self.link.index("-o") + 1])

    def compilation(self, target, changed, output):
        """The command that compiles a target with other texts for some of its files, and nothing but its object."""
        words, result, index = self.compile[target], [], 0
        while index < len(words):
            if words[index] in WRITES:
                index += WRITES[words[index]]
                continue
            if words[index].startswith("@"):
                for source in pathlib.Path(words[index][1:]).read_text().split("\n"):
                    source = source.strip("'\" ")
                    if source:
                        name = os.path.relpath(source, ROOT)
                        result.append(str(FOLDER / "sources" / name) if name in changed else source)
            else:
                result.append(words[index])
            index += 1
        result += [str(FOLDER / "sources" / name) for name in changed if name.endswith("/PlantedFault.swift")]
        return result + ["-whole-module-optimization", "-o", str(output)]


def compile_target(commands, target, changed):
    """Compiles a target with the texts of the changed files. Returns what the compiler printed if it failed."""
    for name, text in changed.items():
        path = FOLDER / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    output = FOLDER / f"{target}.o"
    result = subprocess.run(commands.compilation(target, changed, output), capture_output=True, text=True, cwd=ROOT)
    return None if result.returncode == 0 else result.stdout + result.stderr


def link(commands, targets):
    """Links the test program with the new objects, beside the ordinary one, where its libraries and resources are."""
    program = commands.program.with_name("PlantedFaults.xctest")
    objects = FOLDER / "objects"
    listed = next(word for word in commands.link if word.startswith("@"))
    kept = [
        line for line in pathlib.Path(listed[1:]).read_text().split("\n")
        if line and not any(f"/{target}.build/" in line for target in targets)
    ]  # fmt: skip
    objects.write_text("\n".join(kept + [str(FOLDER / f"{target}.o") for target in targets]) + "\n")
    words = [f"@{objects}" if word == listed else word for word in commands.link]
    words[words.index("-o") + 1] = str(program)
    result = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        raise BuildFailure((result.stdout + result.stderr)[-6000:])
    return program


def rejections(output, numbers):
    """The faults that a message of the compiler is about."""
    places = {(found[1], int(found[2])) for found in re.finditer(r"(Sources/[^:\s]+\.swift):(\d+):\d+: error", output)}
    hit = {
        fault for fault in numbers
        if any(file == fault.file and fault.first_line <= line <= fault.last_line for file, line in places)
    }  # fmt: skip
    # The lines that a message shows name the faults near it, for a message about another line.
    near = {int(number) for number in re.findall(r"planted\((\d+)\)", output)}
    # Without its only assignment, a constant is an error at its first use.
    unset = set(re.findall(r"(Sources/[^:\s]+\.swift):\d+:\d+: error: \w+ '(\w+)' used before being initialized", output))
    return (
        hit
        or {fault for fault, number in numbers.items() if number in near}
        or {fault for fault in numbers if fault.rule == "removed" and (fault.file, fault.old.split(" = ")[0]) in unset}
    )


def build(targets, jobs):
    """Builds the tests with the faults of all targets. Faults that do not compile are replaced. Returns the numbers of the faults and the program."""
    commands, numbers, first = Commands(), {}, 1
    for target in targets:
        # A replaced fault must not change the numbers of other targets, which are compiled at the same time.
        target.first, first = first, first + MOST_FAULTS // (len(targets) + 1)

    def compile_with_faults(target):
        for _ in range(MOST_ROUNDS):
            target.draw()
            own = {fault: target.first + index for index, fault in enumerate(target.planted)}
            output = compile_target(commands, target.name, target.changed(own))
            if output is None:
                return own
            dropped = rejections(output, own)
            if not dropped:
                raise BuildFailure(output[-6000:])
            target.reject(dropped)
        raise BuildFailure(f"{target.name}: after {MOST_ROUNDS} rounds there are still faults that do not compile.")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for own in pool.map(compile_with_faults, targets):
            numbers |= own
    return numbers, link(commands, [target.name for target in targets])
