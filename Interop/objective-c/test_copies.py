"""Copies of packages: what is copied, what is written again, and the program itself."""

import fcntl
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest
from objective_c import package

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "Scripts/without-objective-c"
MANIFEST = "// swift-tools-version: 5.9\nimport PackageDescription\nlet package = Package(name: \"A\", dependencies: [{}], targets: [.target(name: \"A\")])\n"
SOURCE = "@objc class A: NSObject {}\n"
RESULT = "class A: NSObject {}\n"
TARGET_FOLDERS = package.target_folders


@pytest.fixture(autouse=True)
def targets(monkeypatch):
    """SwiftPM takes seconds to evaluate a manifest: without it, all sources belong to targets. A test can say otherwise."""
    known = {}
    monkeypatch.setattr(package, "target_folders", lambda folder: known.get(folder))
    return known


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path_factory):
    """In the cache of the user, each run of the tests would leave a repository, and wait for what else SwiftPM does there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp()))


def fill(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def tree(folder):
    """Everything below a folder: links, contents, modes and times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (content, status.st_mode, status.st_mtime_ns if path.is_file() else 0)
    return found


@pytest.fixture
def original(tmp_path):
    return fill(tmp_path / "originals/A", {
        "Package.swift": MANIFEST.format("") + "// @objc\n", "Package@swift-5.7.swift": "@objc class A {}\n", "Sources/A/A.swift": SOURCE, "Sources/A/B.swift": "struct B {}\n",
        "Sources/A/Words.txt": "@objc", ".build/debug/A.swift": SOURCE, ".git/config": "", "Sources/.hidden": "x"})


def test_a_copy_has_all_files_and_the_original_stays(original, tmp_path):
    before = tree(original)
    (original / "Sources/A/A.swift").chmod(0o444)
    os.symlink("A.swift", original / "Sources/A/Link.swift")
    os.symlink("nowhere", original / "Sources/broken")
    os.symlink("/usr", original / "Sources/folder")
    before = tree(original)
    copy, project, changed = package.make(original, tmp_path / "copies", resolves=False)
    assert tree(original) == before
    assert copy.package == tmp_path / "copies/A" and changed == 2
    assert (copy.package / "Sources/A/A.swift").read_text() == RESULT
    assert (copy.package / "Package.swift").read_bytes() == (original / "Package.swift").read_bytes()
    assert (copy.package / "Package@swift-5.7.swift").read_text() == "@objc class A {}\n"
    assert (copy.package / "Sources/A/Words.txt").read_text() == "@objc"
    assert (copy.package / "Sources/.hidden").is_file()
    assert not (copy.package / ".build").exists() and not (copy.package / ".git").exists()
    assert (copy.package / "Sources/A/Link.swift").read_text() == RESULT
    assert os.readlink(copy.package / "Sources/folder") == "/usr"


def test_a_second_copy_writes_what_changed(original, tmp_path):
    make = lambda: package.make(original, tmp_path / "copies", resolves=False)[0].package  # noqa: E731
    copy = make()
    fill(copy, {".build/debug/kept": "", "Package.resolved": "{}"})
    before = tree(copy)
    make()
    assert tree(copy) == before
    fill(original, {"Sources/A/A.swift": SOURCE + "@objc class New: NSObject {}\n", "Sources/A/Words.txt": "other", "Sources/A/C.swift": SOURCE})
    (original / "Sources/A/B.swift").unlink()
    make()
    after = tree(copy)
    differing = {path for path in before.keys() | after.keys() if before.get(path, (0,))[0] != after.get(path, (0,))[0] or before[path][2] != after[path][2]}
    assert differing == {"Sources/A/A.swift", "Sources/A/Words.txt", "Sources/A/C.swift", "Sources/A/B.swift"}
    assert "Sources/A/B.swift" not in after and after["Sources/A/A.swift"][0].decode() == RESULT + "class New: NSObject {}\n"


def test_a_file_becomes_a_folder_and_a_link(original, tmp_path):
    package.make(original, tmp_path / "copies", resolves=False)
    (original / "Sources/A/B.swift").unlink()
    fill(original, {"Sources/A/B.swift/C.swift": SOURCE})
    (original / "Sources/A/Words.txt").unlink()
    os.symlink("A.swift", original / "Sources/A/Words.txt")
    copy = package.make(original, tmp_path / "copies", resolves=False)[0].package
    assert (copy / "Sources/A/B.swift/C.swift").read_text() == RESULT
    assert (copy / "Sources/A/Words.txt").is_symlink()


def test_packages_named_by_path_are_beside_the_copy(tmp_path):
    root = fill(tmp_path / "originals/work/A", {"Package.swift": MANIFEST.format('.package(name: "B", path: "../../libraries/B"), .package(path: "Inner")'), "Sources/A/A.swift": SOURCE,
        "Inner/Package.swift": MANIFEST.format(""), "Inner/Sources/Inner/I.swift": SOURCE})
    fill(tmp_path / "originals/libraries/B", {"Package.swift": MANIFEST.format('.package(path: "../C"), .package(path: "../../work/A")'), "Sources/B/B.swift": SOURCE})
    fill(tmp_path / "originals/libraries/C", {"Package.swift": MANIFEST.format(""), "Sources/C/C.swift": "@objc public protocol P { @objc optional func m() }\n"})
    fill(root, {"Sources/A/Use.swift": "func f(p: P) { p.m?() }\n"})
    copy, project, changed = package.make(root, tmp_path / "copies", resolves=False)
    assert copy.package == tmp_path / "copies/work/A"
    for path in ("work/A/Sources/A/A.swift", "work/A/Inner/Sources/Inner/I.swift", "libraries/B/Sources/B/B.swift"):
        assert (tmp_path / "copies" / path).read_text() == RESULT
    assert (tmp_path / "copies/work/A/Sources/A/Use.swift").read_text() == "func f(p: P) { p.m() }\n"
    assert not copy.has_others and changed == 5


def test_a_package_in_the_one_that_it_names(original, tmp_path):
    fill(original, {"Examples/App/Package.swift": MANIFEST.format('.package(path: "../..")'), "Examples/App/Sources/A/E.swift": SOURCE})
    copy, project, changed = package.make(original / "Examples/App", tmp_path / "copies", resolves=False)
    assert copy.package == tmp_path / "copies/A/Examples/App" and changed == 2
    assert (copy.package / "Sources/A/E.swift").read_text() == (tmp_path / "copies/A/Sources/A/A.swift").read_text() == RESULT


def test_links_lead_to_what_the_original_has(original, tmp_path):
    fill(original.parent, {"Shared/s.swift": SOURCE, "A/Other/o.txt": "o"})
    os.symlink("../../../Shared/s.swift", original / "Sources/A/Shared.swift")
    os.symlink("../../../Shared", original / "Sources/A/folder")
    os.symlink("../../Other", original / "Sources/A/inside")
    for _ in range(2):
        copy = package.make(original, tmp_path / "copies", resolves=False)[0].package
        assert (copy / "Sources/A/Shared.swift").read_text() == RESULT and not (copy / "Sources/A/Shared.swift").is_symlink()
        assert (copy / "Sources/A/folder/s.swift").read_text() == SOURCE
        assert os.readlink(copy / "Sources/A/inside") == "../../Other" and (copy / "Sources/A/inside/o.txt").read_text() == "o"
        before = tree(copy)
    package.make(original, tmp_path / "copies", resolves=False)
    assert tree(copy) == before


def test_the_folders_of_targets(original, tmp_path, monkeypatch):
    """What SwiftPM says about a manifest: targets by name and by path, a target that is a link, and what has no sources."""
    fill(original, {"Code/B/B.swift": SOURCE, "Plugins/P/P.swift": "", "Tests/T/T.swift": ""})
    os.symlink("../Code/B", original / "Sources/B")
    targets = [
        {"name": "A", "type": "regular", "exclude": ["Left"]}, {"name": "B", "type": "macro", "exclude": ["Out"]}, {"name": "T", "type": "test"}, {"name": "P", "type": "plugin"},
        {"name": "C", "type": "system"}, {"name": "D", "type": "executable", "path": "Code"}]
    answer = subprocess.CompletedProcess([], 0, stdout=json.dumps({"targets": targets}))
    monkeypatch.setattr(package.subprocess, "run", lambda *_, **__: answer)
    found, excluded = TARGET_FOLDERS(original)
    assert sorted(os.path.relpath(folder, original) for folder in found) == ["Code", "Code/B", "Plugins/P", "Sources/A", "Sources/B", "Tests/T"]
    assert sorted(os.path.relpath(folder, original) for folder in excluded) == ["Code/B/Out", "Sources/A/Left", "Sources/B/Out"]
    # A folder that only the build makes.
    answer.stdout = json.dumps({"targets": [*targets, {"name": "E", "type": "regular", "path": "missing"}]})
    assert TARGET_FOLDERS(original) is None


def test_dependencies_in_a_manifest(original):
    (original / "Package.swift").write_text(MANIFEST.format(
        '.package(url: "https://example.org/B", from: "1.0.0"), /* .package(path: "../D") */ .package(path: "../\\(x)"), .package(path: "/absolute"), .package(path: folder), '
        '.package(path: "../missing"), .package(id: "a.b", exact: "1.0.0")'))
    paths, has_others, findings = package.dependencies(original)
    assert paths == ["/absolute", "../missing"] and has_others and len(findings) == 2
    outer, has_others, findings = package.packages(original)
    assert outer == [original] and has_others
    assert [(finding.path, finding.line) for finding in findings] == [("Package.swift", 3)] * 2 + [("Package.swift", 1)]


def test_a_copy_inside_the_package_is_refused(original, tmp_path):
    for folder in (original, original / "Sources/copy", original.parent):
        with pytest.raises(package.Failure, match="cannot be inside"):
            package.make(original, folder, resolves=False)
    assert package.make(original, original / ".build/copies", resolves=False)[0].package == original / ".build/copies/A"


def test_only_sources_of_targets_are_rewritten(original, tmp_path, targets):
    fill(original, {"Example/E.swift": SOURCE, "Sources/A/Left/L.swift": SOURCE, "Sources/Also/A.swift": SOURCE})
    targets[original] = [str(original / "Sources/A")], [str(original / "Sources/A/Left")]
    copy, project, changed = package.make(original, tmp_path / "copies", resolves=False)
    assert [file.path for file in project.files] == ["A/Sources/A/A.swift", "A/Sources/A/B.swift"]
    for path in ("Example/E.swift", "Sources/A/Left/L.swift", "Sources/Also/A.swift"):
        assert (copy.package / path).read_text() == SOURCE


def test_checkouts_change_in_the_copy_and_follow_updates(original, tmp_path):
    fill(original, {"Sources/A/Use.swift": "func f(p: P) { p.m?() }\n"})
    copy = package.make(original, tmp_path / "copies", resolves=False)[0].package
    protocol = "@objc public protocol P: AnyObject { @objc optional func m() }\n"
    changed = "public protocol P: AnyObject { func m() }; extension P { public func m() { } }\n"
    checkout = fill(copy / ".build/checkouts/B", {"Sources/B/P.swift": protocol, "Sources/B/Other.swift": "struct O {}\n", "Tests/T.swift": SOURCE, "Package.swift": "// @objc\n"})
    fill(copy / ".build/checkouts/C", {"Sources/C/C.swift": "func g() {\n"})
    for path in checkout.rglob("*.swift"):
        path.chmod(0o444)
    package.make(original, tmp_path / "copies", resolves=False)
    assert (checkout / "Sources/B/P.swift").read_text() == changed
    assert (copy / "Sources/A/Use.swift").read_text() == "func f(p: P) { p.m() }\n"
    assert (checkout / "Tests/T.swift").read_text() == SOURCE and (checkout / "Package.swift").read_text() == "// @objc\n"
    before = tree(copy)
    for _ in range(2):
        package.make(original, tmp_path / "copies", resolves=False)
        assert tree(copy) == before
    # A new version of the dependency.
    (checkout / "Sources/B/P.swift").unlink()
    fill(checkout, {"Sources/B/P.swift": "\n" + protocol})
    package.make(original, tmp_path / "copies", resolves=False)
    assert (checkout / "Sources/B/P.swift").read_text() == "\n" + changed
    # A version that needs no change.
    (checkout / "Sources/B/P.swift").unlink()
    fill(checkout, {"Sources/B/P.swift": "public protocol P {}\n", "Sources/B/Q.swift": SOURCE})
    package.make(original, tmp_path / "copies", resolves=False)
    assert (checkout / "Sources/B/P.swift").read_text() == "public protocol P {}\n"
    assert (checkout / "Sources/B/Q.swift").read_text() == RESULT


def test_a_run_that_ends_while_it_writes_loses_no_original(original, tmp_path, monkeypatch):
    copy = package.make(original, tmp_path / "copies", resolves=False)[0].package
    checkout = fill(copy / ".build/checkouts/B", {"Sources/B/P.swift": "@objc class A: NSObject { @objc(a) func b() {} }\n", "Sources/B/Q.swift": SOURCE})
    originals = [(checkout / path).read_text() for path in ("Sources/B/P.swift", "Sources/B/Q.swift")]
    kept = package.write

    for last in range(6):
        count = 0

        def write(path, content, mode=None):
            nonlocal count
            if ".build" in path.parts:
                count += 1
                if count > last:
                    raise KeyboardInterrupt
            return kept(path, content, mode)

        monkeypatch.setattr(package, "write", write)
        with pytest.raises(KeyboardInterrupt):
            package.make(original, tmp_path / "copies", resolves=False)
        monkeypatch.setattr(package, "write", kept)
        checkouts = package.Checkouts(copy)
        assert list(checkouts.sources().values()) == [text.encode() for text in originals]
    package.make(original, tmp_path / "copies", resolves=False)
    assert [(checkout / path).read_text() for path in ("Sources/B/P.swift", "Sources/B/Q.swift")] == ["class A: NSObject { func b() {} }\n", RESULT]
    assert list(package.Checkouts(copy).sources().values()) == [text.encode() for text in originals]


def test_one_run_writes_a_copy_at_a_time(original, tmp_path):
    with package.alone(tmp_path / "copies"), open(tmp_path / "copies.lock", encoding="utf-8") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    command = [sys.executable, PROGRAM, "--no-resolve", original, tmp_path / "copies"]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PATH": "/nonexistent"}) for _ in range(4)]
    assert [(run.communicate(timeout=120), run.returncode)[1] for run in runs] == [0] * 4
    assert (tmp_path / "copies/A/Sources/A/A.swift").read_text() == RESULT and not list(tmp_path.rglob("*.new"))


def test_an_interrupt_is_no_failure_of_the_program(original, tmp_path, monkeypatch, capsys):
    loader = importlib.machinery.SourceFileLoader("without_objective_c", str(PROGRAM))
    program = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(program)

    def make(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "make", make)
    monkeypatch.setattr(sys, "argv", ["without-objective-c", str(original), str(tmp_path / "copies")])
    assert program.main() == 130 and capsys.readouterr() == ("", "")


def run(*arguments, **environment):
    return subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300, env=os.environ | environment)


def test_the_program_makes_a_copy_and_reports(original, tmp_path):
    (original / "Package@swift-5.7.swift").unlink()
    fill(original, {"Sources/A/Named.swift": "\nlet a = #selector(b)\n", "Example/E.swift": SOURCE})
    before = tree(original)
    result = run(original, tmp_path / "copies")
    assert result.returncode == 0 and result.stdout == f"{tmp_path}/copies/A\n"
    assert result.stderr.splitlines() == [
        "without-objective-c: 1 of 3 sources change", "     1  @objc", "Sources/A/Named.swift:2: #selector needs Objective-C: pass a closure.",
        "without-objective-c: 1 place needs an edit"]
    assert (tmp_path / "copies/A/Sources/A/A.swift").read_text() == RESULT
    # SwiftPM says which sources belong to targets.
    assert (tmp_path / "copies/A/Example/E.swift").read_text() == SOURCE
    assert tree(original) == before


def test_a_dependency_by_url_is_fetched_and_rewritten(original, tmp_path):
    manifest = MANIFEST.replace('"A"', '"B"').replace("dependencies: [{}]", 'products: [.library(name: "B", targets: ["B"])]')
    other = fill(tmp_path / "B", {"Package.swift": manifest, "Sources/B/B.swift": SOURCE})
    git = ["git", "-C", other, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=b"], ["tag", "1.0.0"]):
        subprocess.run([*git, *arguments], check=True)
    (original / "Package@swift-5.7.swift").unlink()
    (original / "Package.swift").write_text(MANIFEST.format(f'.package(url: "file://{other}", from: "1.0.0")'))
    result = run(original, tmp_path / "copies")
    assert result.returncode == 0, result.stderr
    assert "2 of 3 sources change" in result.stderr
    assert (tmp_path / "copies/A/.build/checkouts/B/Sources/B/B.swift").read_text() == RESULT
    assert not (original / ".build/checkouts").exists() and (other / "Sources/B/B.swift").read_text() == SOURCE


def test_a_check_writes_nothing(original, tmp_path):
    before = tree(tmp_path)
    result = run("--check", original)
    assert result.returncode == 0 and "1 of 2 sources change" in result.stdout and result.stderr == ""
    assert tree(tmp_path) == before


def test_the_program_works_without_swift(original, tmp_path):
    result = run(original, tmp_path / "copies", PATH="/nonexistent")
    assert result.returncode == 0 and (tmp_path / "copies/A/Sources/A/A.swift").read_text() == RESULT


def test_failures_have_an_exit_code_and_a_sentence(original, tmp_path):
    (original / "Package.swift").write_text(MANIFEST.format('.package(url: "file:///nonexistent/B", from: "1.0.0")'))
    result = run(original, tmp_path / "copies")
    assert result.returncode == 1 and "the dependencies were not resolved" in result.stderr
    result = run(original, original / "Sources")
    assert result.returncode == 1 and "cannot be inside the package" in result.stderr
    for arguments in ([tmp_path, tmp_path / "copies"], [original], ["--check", original, tmp_path / "copies"], []):
        assert run(*arguments).returncode == 2
    (tmp_path / "file").write_text("")
    assert run("--no-resolve", original, tmp_path / "file").returncode == 1
