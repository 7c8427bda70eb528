import StudioRoom
import TestConditions
import Testing

@testable import Studio

/// What a reader copies: a package with its files and commands. `Scripts/generate-lesson --compile` builds and runs each of them.
@Suite struct LessonProjectTests {
    @Test(arguments: LessonSources.copies.keys.sorted()) func theScriptWritesAllFiles(name: String) throws {
        let project = try #require(LessonProject(name))
        #expect(project.files.map(\.name) == ["Package.swift", "Sources/hello/main.swift"])
        for file in project.files {
            #expect(project.script.contains("cat > \(file.name) <<'END_OF_FILE'\n\(file.text)END_OF_FILE\n"))
            #expect(!file.text.split(separator: "\n").contains("END_OF_FILE") && file.text.hasSuffix("\n"))
        }
        #expect(project.script.hasSuffix("\n\(project.run)\n"))
        let program = project.files[1].text
        #expect(program.hasPrefix("import ") && program.hasSuffix("\ndispatchMain()\n"))
        #expect(program.contains("class \(name)") && program.contains("let program = \(name)()"))
        #expect(!program.contains("// lesson:"))
        let needsPairing = program.contains("import BluetoothPairing")
        #expect(project.files[0].text.contains("BluetoothPairing") == needsPairing)
    }

    @Test func theShortProgramHasFortyLinesAndADeviceToTryThemWith() throws {
        let project = try #require(LessonProject(LessonProject.short))
        #expect(
            project.files.map(\.name) == ["Package.swift", "Sources/hello/main.swift", "Sources/hello/Wristband.swift"])
        #expect((35...45).contains(project.lines))
        for file in project.files {
            #expect(project.script.contains("cat > \(file.name) <<'END_OF_FILE'\n\(file.text)END_OF_FILE\n"))
        }
        #expect(project.files[0].text.contains("https://") && project.checkout == nil)
    }

    @Test func aStudioFromACheckoutOffersItByItsPath() throws {
        let root = projectRoot.standardizedFileURL.path
        let folder = try #require(Checkout.folder(of: root + "/.build/debug/bluelab"))
        #expect(folder == root)
        let project = try #require(LessonProject("WalkthroughCentral", checkout: folder))
        #expect(project.files[0].text.contains(#".package(name: "OpenCoreBluetooth", path: "\#(folder)")"#))
        #expect(!project.files[0].text.contains("https://") && project.checkout == folder)
        for path in [
            "/usr/bin/bluelab", "/nowhere/.build/debug/bluelab", ".build/debug/bluelab", "/a\"b/.build/debug/bluelab",
        ] {
            #expect(Checkout.folder(of: path) == nil)
        }
    }

    @Test func theErrorAtTheEndIsPrinted() throws {
        let program = try #require(LessonSources.program("WalkthroughCentral"))
        #expect(program.contains(#"if let error { printLine("failed: \(error.localizedDescription)") }"#))
        #expect(program.contains("exit(error == nil ? 0 : 1)"))
    }

    @Test func theSourceOfAProgramIsThereOnce() {
        let declarations = LessonSources.files.values.flatMap { file in
            file.text.matches(of: /(?m)^(?:public )?final class (\w+)/).map { String($0.1) }
        }
        #expect(declarations.count == Set(declarations).count && declarations.count == LessonSources.copies.count)
        #expect(LessonProject("None") == nil)
    }
}
