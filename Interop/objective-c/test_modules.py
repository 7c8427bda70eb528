"""Scripts/build-with-corebluetooth: the options and the list of missing modules, with modules beside the script as in a release, and with a `swift`
that only records how it is called. Interop/packages builds packages with the real one."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "Scripts"
SINGLE = ("CommonCrypto", "CoreLocation", "CryptoKit", "ObjectiveC", "Security", "UIKit", "UniformTypeIdentifiers", "simd")
# SwiftPM's commands go into a file. `describe` knows no package, so the script reads the files of the whole folder; `dump-package` prints a file.
SWIFT = """#!/bin/sh
case $1 in
    --version) printf 'Swift version 6.3\\nTarget: test\\n' ;;
    package) case "$*" in *dump-package) cat "$3/dump.json" ;; *) [ "$4" != describe ] ;; esac ;;
    *) printf '%s\\n' "$@" > "$CALLS"; exit "$CODE" ;;
esac
"""
# The compiler has what the search path has, and Foundation.
SWIFTC = """#!/bin/sh
for program; do :; done
sed -n 's/^#warning("\\(missing [0-9]* \\(.*\\)\\)")$/\\2 \\1/p' "$program" | while read -r module text; do
    [ "$module" = Foundation ] || echo "$program:2:10: warning: $text"
done
"""


class Package:
    def __init__(self, folder):
        self.folder, self.prefix, self.calls = folder / "package", folder / "prefix", folder / "calls"
        for name in ("modules/CoreBluetooth.swiftmodule", "os-modules/os.swiftmodule", "imports/AppleImports.swiftmodule", "libAppleModules.so"):
            (self.prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (self.prefix / name).touch()
        for name in SINGLE:
            (self.prefix / "single" / name).mkdir(parents=True)
        (self.prefix / "compiler").write_text("Swift version 6.3, test\n")
        for name in ("build-with-corebluetooth", "active-imports.awk"):
            shutil.copy(SCRIPTS / name, self.prefix)
        (folder / "bin").mkdir()
        for name, text in (("swift", SWIFT), ("swiftc", SWIFTC)):
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "CALLS": str(self.calls)}
        self.write("Package.swift", "// swift-tools-version: 5.9\n")

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def build(self, *arguments, command=(), code=0):
        """Runs the script, and returns the flags that SwiftPM got and what the script said."""
        self.calls.unlink(missing_ok=True)
        result = subprocess.run(
            [self.prefix / "build-with-corebluetooth", *arguments, self.folder, *command], capture_output=True, text=True,
            env=self.environment | {"CODE": str(code)})
        assert result.returncode == code, result
        return self.calls.read_text().splitlines(), result.stderr.splitlines()

    def searched(self, *arguments):
        """The folders of the search path, below the modules or the package."""
        flags, _ = self.build(*arguments)
        folders = [pathlib.Path(flags[index + 2]) for index, flag in enumerate(flags) if flag == "-I"]
        return [str(folder.relative_to(self.prefix if folder.is_relative_to(self.prefix) else self.folder)) for folder in folders]


@pytest.fixture
def package(tmp_path):
    return Package(tmp_path)


def test_a_module_is_added_if_a_file_imports_it(package):
    assert package.searched() == ["modules", "os-modules", "imports"]
    package.write("Sources/A/A.swift", "import simd\n#if canImport(UIKit)\nimport UIKit\n#endif\n")
    assert package.searched() == ["modules", "os-modules", "single/simd", "imports"]
    package.write("Sources/A/B.swift", "import UIKit\n")
    assert package.searched() == ["modules", "os-modules", "single/UIKit", "single/UniformTypeIdentifiers", "single/simd", "imports"]


def test_a_module_is_added_if_a_dependency_imports_it_wherever_its_sources_are(package):
    package.write(".build/checkouts/B/Sources/B/B.swift", "import simd\n")
    targets = [
        {"name": "C", "path": "Library/", "resources": [{"path": "Resources/C"}], "type": "regular"}, {"name": "D", "type": "regular"},
        {"name": "CTests", "path": "Example/Tests", "type": "test"}]
    manifest = {"dependencies": [{"fileSystem": [{"path": "/"}]}], "name": "C", "products": [{"name": "C", "type": {}}], "targets": targets}
    package.write(".build/checkouts/C/Package.swift", "// swift-tools-version: 5.9\n")
    package.write(".build/checkouts/C/dump.json", json.dumps(manifest, indent=2, separators=(",", " : ")))
    for place, module in (("Library", "Security"), ("Example/Tests", "CryptoKit"), ("Example/App", "UIKit")):
        package.write(f".build/checkouts/C/{place}/C.swift", f"import {module}\n")
    assert package.searched() == ["modules", "os-modules", "single/Security", "single/simd", ".build/apple-imports"]


def test_without_omits_a_module_that_a_file_imports(package):
    package.write("Sources/A/A.swift", "import UIKit\nimport simd\n")
    assert package.searched("--without", "UIKit") == ["modules", "os-modules", "single/UniformTypeIdentifiers", "single/simd", "imports"]
    # It precedes `--with`.
    assert package.searched("--with", "simd", "--without", "UIKit", "--without", "UniformTypeIdentifiers", "--without", "simd") == ["modules", "os-modules", "imports"]


def test_without_os_omits_both_modules_of_the_log(package):
    package.write("Sources/A/A.swift", "#if canImport(os)\nimport CryptoKit\n#endif\n")
    assert package.searched() == ["modules", "os-modules", "single/CryptoKit", "imports"]
    assert package.searched("--without-os") == ["modules", "imports"]


def test_with_combine_lets_files_with_foundation_see_its_names(package):
    overlay = package.folder / ".build/apple-imports/AppleImports.swiftcrossimport/Foundation.swiftoverlay"
    assert package.searched("--with-combine") == ["modules", "os-modules", ".build/apple-imports"]
    assert [line.split()[-1] for line in overlay.read_text().splitlines() if "name:" in line] == ["AppleNames", "Combine", "Observation"]
    # The same options change no file, so SwiftPM compiles nothing again.
    before = overlay.stat().st_mtime_ns
    package.searched("--with-combine")
    assert overlay.stat().st_mtime_ns == before
    package.searched("--with-combine", "--with", "UIKit")
    assert [line.split()[-1] for line in overlay.read_text().splitlines() if "name:" in line] == ["AppleNames", "Combine", "Observation", "UIKit"]


def test_missing_modules_are_listed_by_their_files_with_what_helps(package):
    sources = {"A": "SwiftUI UIKit", "B": "SwiftUI os", "C": "SwiftUI CoreData AppKit", "D": "AppKit Foundation Planned", "E": ""}
    for name, modules in sources.items():
        package.write(f"Sources/A/{name}.swift", "".join(f"import {module}\n" for module in modules.split()))
    paths = ", ".join(f'"{package.folder}/Sources/A/{name}.swift"' for name in sources)
    package.write(".build/debug.yaml", f'inputs: [{paths}, "{package.folder}/Package.swift", "/x/Planned.swiftmodule"]\n')
    _, said = package.build("--without", "UIKit", code=3)
    assert said == [
        f"build-with-corebluetooth: missing: {text}" for text in (
            "SwiftUI, files that import it: 3", "AppKit, files that import it: 2", "CoreData, files that import it: 1",
            "UIKit, files that import it: 1 (--with UIKit adds it)", "os, files that import it: 1 (--without-os omits it)")]
    # A program's own failure says nothing about its modules, and a build that succeeds has none.
    assert package.build(command=("run", "demo"), code=3)[1] == []
    assert package.build()[1] == []


def test_the_arguments_follow_the_flags(package):
    flags, _ = package.build(command=("test", "--filter", "Some Tests"))
    assert flags[:3] == ["test", "--package-path", str(package.folder)] and flags[-2:] == ["--filter", "Some Tests"]
    assert ["-import-module", "AppleImports"] == [flag for flag in flags if flag in ("-import-module", "AppleImports")]
