import Foundation
import TestConditions
import Testing

@testable import StudioRoom

/// The lines that the programs of the room print, as their sources have them.
struct ProgramLineTests {
    private static func sources() throws -> [URL] {
        let scenes = projectRoot.appending(path: "Sources/Studio/StudioRoom/Scenes/Programs")
        return try FileManager.default.contentsOfDirectory(at: scenes, includingPropertiesForKeys: nil)
            + ["WalkthroughCentral", "WristbandPeripheral"].map {
                projectRoot.appending(path: "Examples/ExamplePrograms/\($0).swift")
            }
    }

    /// The literals of the calls `log("…")` and `onStep(1, "…")`, with `7` for each value.
    private static func lines(of source: String) -> [String] {
        source.matches(of: #/(?:\blog\(|\bonStep\(\d+, )"/#).map { match in
            var line = ""
            var rest = source[match.range.upperBound...]
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\", let next = rest.popFirst() else {
                    line.append(character)
                    continue
                }
                guard next == "(" else {
                    line.append(next)
                    continue
                }
                var depth = 1
                while depth > 0, let inner = rest.popFirst() { depth += inner == "(" ? 1 : inner == ")" ? -1 : 0 }
                line.append("7")
            }
            return line
        }
    }

    @Test func everyLineOfAProgramHasItsChinese() throws {
        var count = 0
        for source in try Self.sources() {
            for line in Self.lines(of: try String(contentsOf: source, encoding: .utf8)) {
                count += 1
                // The name of a method, and values, need no words.
                let isName = line.split(separator: " ").dropFirst().allSatisfy { $0.allSatisfy { !$0.isLetter } }
                #expect(
                    SceneLines.book.knows(line) || isName && !line.prefix(1).allSatisfy(\.isNumber),
                    "\(source.lastPathComponent): \(line)")
            }
        }
        // The search finds the calls at all.
        #expect(count > 60)
    }
}
