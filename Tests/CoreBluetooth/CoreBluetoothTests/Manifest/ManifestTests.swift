import CoreBluetooth
import TestConditions
import Testing

/// Every symbol of Apple's framework is there, with Apple's type and value.
@Suite struct ManifestTests {
    /// The first three columns of each row of the table: section, kind, signature.
    static func table() throws -> [[String]] {
        let file = projectRoot.appending(path: "Documentation/symbols.tsv")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).prefix(3).map(String.init)
        }
    }

    @Test func everyPublicSymbolHasAPassingCheck() throws {
        let checks = ManifestChecks()
        checks.checkAll(try ManifestObjects())
        let table = try Self.table()
        #expect(table.count == 324)
        #expect(checks.outcomes.map(\.columns) == table, "run Scripts/generate-manifest-tests")
        for outcome in checks.outcomes {
            #expect(outcome.holds, "\(outcome.owner): \(outcome.columns[2])")
        }
    }
}
