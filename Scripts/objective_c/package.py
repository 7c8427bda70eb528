"""Copies of packages: their files, the packages that they name by path, and the checkouts of their dependencies."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from .lexer import Unreadable, tokens
from .project import Finding, Project

# Not copied, at any depth.
LEFT_OUT = {".build", ".git", ".hg", ".svn", "DerivedData", "__pycache__"}
OBJECTIVE_C = re.compile(rb"@objc|#selector|#keyPath")
STATE = pathlib.Path(".build/without-objective-c")


class Failure(Exception):
    """The program cannot do its work."""


def checkout_of(path):
    return path.split("/", 3)[2]


def manifests(folder):
    return sorted(folder.glob("Package*.swift"))


def dependencies(folder):
    """The paths of the packages that the manifests name by path, whether they name others, and sentences about paths that cannot be read."""
    paths, has_others, findings = [], False, []
    for manifest in manifests(folder):
        try:
            found = tokens(manifest.read_bytes().decode("utf-8", "surrogateescape"))
        except Unreadable:
            continue
        for index in range(len(found) - 3):
            if [token.text for token in found[index : index + 3]] != [".", "package", "("]:
                continue
            depth, position = 1, index + 3
            is_path = False
            while position < len(found) and depth:
                text = found[position].text
                depth += (text in ("(", "[")) - (text in (")", "]"))
                if depth == 1 and text == "path" and found[position + 1].text == ":":
                    is_path = True
                    value = found[position + 2]
                    if value.kind == "string" and re.fullmatch(r'"[^"\\]*"', value.text) and found[position + 3].text in (",", ")"):
                        paths.append(value.text[1:-1])
                    else:
                        findings.append((manifest, value.start, "The path of this package is no plain string: its original is built."))
                if depth == 1 and text in ("url", "id") and found[position + 1].text == ":":
                    has_others = True
                position += 1
            has_others = has_others or not is_path and depth != 0
    return paths, has_others, findings


def packages(root):
    """The package and those that it names by path, in all steps; whether one has dependencies elsewhere; and sentences."""
    found, waiting, has_others, findings = [], [root], False, []
    while waiting:
        folder = waiting.pop()
        if folder in found:
            continue
        found.append(folder)
        paths, others, sentences = dependencies(folder)
        has_others = has_others or others
        for manifest, offset, sentence in sentences:
            line = manifest.read_bytes()[:offset].count(b"\n") + 1
            findings.append(Finding(os.path.relpath(manifest, root), line, sentence))
        for path in paths:
            other = pathlib.Path(os.path.normpath(folder / pathlib.Path(path).expanduser()))
            if os.path.isabs(os.path.expanduser(path)):
                findings.append(Finding(os.path.relpath(folder / "Package.swift", root), 1, f"The package {path} has an absolute path: its original is built."))
            elif (other / "Package.swift").is_file():
                waiting.append(other)
    # A package inside another is copied with it.
    outer = [one for one in found if not any(other != one and other in one.parents for other in found)]
    return outer, has_others, findings


def target_folders(folder):
    """The folders of a package's targets and what they exclude, as SwiftPM evaluates the manifest. None if that is not known."""
    try:
        # SwiftPM writes a lock even for this, which must not be in the original.
        with tempfile.TemporaryDirectory(prefix="without-objective-c-") as scratch:
            command = ["swift", "package", "--package-path", str(folder), "--scratch-path", scratch, "dump-package"]
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=False)
        targets = json.loads(run.stdout)["targets"] if run.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    if targets is None:
        return None
    found, excluded = [], []
    for target in targets:
        if target.get("type") in ("binary", "system"):
            continue
        names = ["Sources", "Source", "src", "srcs"]
        names = {"test": ["Tests", *names], "plugin": ["Plugins"]}.get(target.get("type"), names)
        places = [target["path"]] if target.get("path") else [f"{name}/{target['name']}" for name in names] + names
        place = next((place for place in places if (folder / place).is_dir()), None)
        if place is None:
            return None
        # The files of a linked folder have their own paths.
        for path in {os.path.normpath(folder / place), os.path.realpath(folder / place)}:
            found.append(path)
            excluded += [os.path.normpath(os.path.join(path, name)) for name in target.get("exclude") or ()]
    return found, excluded


def is_below(path, folders):
    return any(path == folder or path.startswith(folder + os.sep) or folder == os.sep for folder in folders)


def files_of(folder):
    """All files and links below a folder, as paths below it. Folders that nothing needs are left out."""
    for path, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(path, name))]
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and name not in links)
        for name in sorted(names + links):
            if name not in LEFT_OUT:
                yield os.path.relpath(os.path.join(path, name), folder)


def is_source(path):
    return path.endswith(".swift") and not re.fullmatch(r"Package(@swift-[\d.]+)?\.swift", os.path.basename(path))


def write(path, content, mode=None):
    """Writes a file if its content differs, so that a build has nothing to do otherwise. Returns whether it did."""
    if path.is_symlink() or path.is_dir():
        remove(path)
    try:
        is_equal = path.read_bytes() == content
    except OSError:
        is_equal = False
    if not is_equal:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(path.name + ".new")
        temporary.write_bytes(content)
        os.chmod(temporary, (mode if mode is not None else 0o644) & 0o777 | 0o600)
        os.replace(temporary, path)
    return not is_equal


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def copy_link(source, target, packages):
    """A link stays one if it leads to something that is copied too."""
    leads_to = os.readlink(source)
    resolved = pathlib.Path(os.path.normpath(source.parent / leads_to))
    if os.path.isabs(leads_to) or not is_below(str(resolved), list(map(str, packages))):
        if source.is_file():
            write(target, source.read_bytes(), source.stat().st_mode)
            return
        leads_to = os.path.abspath(resolved)
    if target.is_symlink() and os.readlink(target) == leads_to:
        return
    if target.is_symlink() or target.exists():
        remove(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(leads_to, target)


class Copy:
    """A copy of a package below a folder, in which the packages that it names by path have the same places relative to it."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.packages, self.has_others, self.findings = packages(root)
        self.common = pathlib.Path(os.path.commonpath([str(package.parent) for package in self.packages]))
        self.package = folder / root.relative_to(self.common)
        for copied in (folder / package.relative_to(self.common) for package in self.packages):
            for package in self.packages:
                if copied == package or package in copied.parents and not LEFT_OUT.intersection(copied.relative_to(package).parts):
                    raise Failure(f"the copy {copied} cannot be inside the package {package}")

        self.targets = {package: target_folders(package) for package in self.packages}

    def _is_source(self, package, path):
        """Whether a file is a source of a target. All sources are, if the targets are not known."""
        if not is_source(path) or not (package / path).is_file():
            return False
        targets = self.targets[package]
        full = str(package / path)
        return targets is None or is_below(full, targets[0]) and not is_below(full, targets[1])

    def sources(self):
        """The contents of the Swift sources by their paths below the common folder."""
        found = {}
        for package in self.packages:
            for path in files_of(package):
                if self._is_source(package, path):
                    found[str((package / path).relative_to(self.common))] = (package / path).read_bytes()
        return found

    def copy_others(self):
        """Copies what is no source, and removes what the originals no longer have."""
        for package in self.packages:
            target, kept = self.folder / package.relative_to(self.common), set()
            for path in files_of(package):
                kept.add(path)
                source = package / path
                if self._is_source(package, path):
                    # `make` writes it, and in place of a link a file.
                    continue
                if source.is_symlink():
                    copy_link(source, target / path, self.packages)
                elif not source.is_file():
                    kept.discard(path)
                else:
                    write(target / path, source.read_bytes(), source.stat().st_mode)
            for path in list(files_of(target)) if target.is_dir() else []:
                # SwiftPM writes this file if the package has none.
                if path not in kept and path != "Package.resolved":
                    remove(target / path)

    def resolve(self):
        """Lets SwiftPM fetch the dependencies, whose sources are then in the checkouts."""
        command = ["swift", "package", "--package-path", str(self.package), "resolve"]
        # The caller's output is the path of the copy.
        if subprocess.run(command, stdout=2, check=False).returncode != 0:
            raise Failure("the dependencies were not resolved: see above")


class Checkouts:
    """The checkouts of the dependencies, which SwiftPM puts below `.build` of the copy. Those that change are kept as they were."""

    def __init__(self, package):
        self.folder, self.state = package / ".build/checkouts", package / STATE
        # The checksums of what this program wrote in place of each file: two if it ended while it wrote.
        self.table = {}
        with contextlib.suppress(OSError):
            self.table = json.loads((self.state / "written.json").read_text(encoding="utf-8"))

    def sources(self):
        found = {}
        for path in files_of(self.folder) if self.folder.is_dir() else []:
            # Tests of a dependency are not built.
            if is_source(path) and (self.folder / path).is_file() and not (self.folder / path).is_symlink() and "Tests" not in pathlib.PurePath(path).parts:
                found[f".build/checkouts/{path}"] = self._original(path)
        # Most dependencies need no change: reading them whole would take longer than a build that has nothing to do.
        needed = {checkout_of(path) for path, content in found.items() if OBJECTIVE_C.search(content)}
        return {path: content for path, content in found.items() if checkout_of(path) in needed}

    def _original(self, path):
        content = (self.folder / path).read_bytes()
        if digest(content) in self.table.get(path, ()) and (self.state / "originals" / path).is_file():
            return (self.state / "originals" / path).read_bytes()
        return content

    def write(self, files):
        """Writes files, given as (path, original, content). The originals and the checksums come first: a run that ends in between has lost nothing."""
        files = [(path, original, content) for path, original, content in files if content != original or path in self.table]
        if not files:
            return
        written = {path: [digest(content)] for path, original, content in files if content != original}
        for path, original, content in files:
            if content != original:
                write(self.state / "originals" / path, original)
        self._save({path: sorted({*self.table.get(path, ()), *written.get(path, ())}) for path in {*self.table, *written}})
        for path, _, content in files:
            # SwiftPM takes the permission to write from checkouts. A new file replaces the old one all the same.
            os.chmod((self.folder / path).parent, 0o755)
            write(self.folder / path, content)
        self._save(written)

    def _save(self, table):
        write(self.state / "written.json", json.dumps(table, indent=1, sort_keys=True).encode())


def digest(content):
    return hashlib.sha256(content).hexdigest()


def check(root):
    """What a copy of a package would change."""
    copy = Copy(root, root / ".build")
    contents = copy.sources()
    contents |= Checkouts(root).sources()
    project = Project(contents)
    results = project.rewrite()
    changed = sum(results[path] != content for path, content in contents.items())
    return copy, project, changed


@contextlib.contextmanager
def alone(folder):
    """Waits until no other run writes the copy."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(folder.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(root, folder, resolves=True):
    """Makes the copy of a package, or brings it up to date."""
    copy = Copy(root, folder)
    with alone(folder):
        return update(copy, resolves)


def update(copy, resolves):
    copy.copy_others()
    if resolves and copy.has_others:
        copy.resolve()
    contents, checkouts = copy.sources(), Checkouts(copy.package)
    others = checkouts.sources()
    project = Project(contents | others)
    results = project.rewrite()
    for path in contents:
        source = copy.common / path
        write(copy.folder / path, results[path], source.stat().st_mode)
    checkouts.write([(path.removeprefix(".build/checkouts/"), original, results[path]) for path, original in others.items()])
    changed = sum(results[path] != content for path, content in (contents | others).items())
    return copy, project, changed
