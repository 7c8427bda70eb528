import Foundation
import TestConditions
import Testing

@testable import DeviceFiles

/// The scripts in the documentation and in the examples.
@Suite struct ScriptDocumentationTests {
    /// The YAML blocks of the page.
    private static func blocks() throws -> [String] {
        let page = try String(
            contentsOf: projectRoot.appendingPathComponent("Documentation/Scripts.md"), encoding: .utf8)
        return page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    private static func kinds(_ steps: [ScriptStep]) -> Set<String> {
        let lines = DeviceScript(name: nil, steps: steps).text.split(separator: "\n")
        return Set(
            lines.compactMap { line in
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("- ") else { return nil }
                return String(text.dropFirst(2).prefix { $0 != ":" })
            })
    }

    @Test func eachExampleOfThePageIsValid() throws {
        var kinds: Set<String> = []
        let blocks = try Self.blocks()
        #expect(blocks.count > 10)
        for block in blocks {
            let text = block.hasPrefix("- ") ? "steps:\n" + block : block
            let script = try DeviceScript(YAMLDocument(text: text, file: "Scripts.md"))
            kinds.formUnion(Self.kinds(script.steps))
        }
        // The page has an example of every action.
        #expect(kinds == Set(StepKind.allCases.map(\.rawValue)))
    }

    @Test(arguments: ["wristband", "mobike", "mcumgr"]) func eachExampleScriptIsValid(name: String) throws {
        let path = projectRoot.appendingPathComponent("Examples/Scripts/\(name).yaml").path
        #expect(try DeviceScript(YAMLDocument(path: path)).name != nil)
    }
}
