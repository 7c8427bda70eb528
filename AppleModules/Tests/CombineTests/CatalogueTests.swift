import Combine
import Foundation
import Testing

/// Every operator in the table of Documentation/Combine.md: the table's sentences stand beside what proves them.
@Suite struct CatalogueTests {
    static let groups: [(title: String, rows: [Row])] = [
        ("Mapping, encoding", Row.mapping), ("Filtering", Row.filtering), ("Reducing", Row.reducing),
        ("Selecting", Row.selecting), ("Joining", Row.joining), ("Publishers of publishers", Row.chaining),
        ("Failures", Row.failing), ("Time and schedulers", Row.timing), ("Buffers", Row.buffering),
        ("Watching", Row.watching), ("Sharing", Row.sharing),
    ]

    @Test(arguments: groups.flatMap(\.rows)) func anOperatorEndsAsItsRowSays(row: Row) { row.ends.prove(row) }
    @Test(arguments: groups.flatMap(\.rows)) func anOperatorAsksAsItsRowSays(row: Row) { row.asks.prove(row) }
    @Test(arguments: groups.flatMap(\.rows)) func anOperatorIsCancelledAsItsRowSays(row: Row) { row.cancels.prove(row) }
    @Test(arguments: Fact.publishers + Fact.subscribers) func aPublisherOrSubscriberDoesWhatItsRowSays(
        fact: Fact
    ) async { await fact.prove() }

    /// With COMBINE_TABLE=write it writes the tables instead.
    @Test func theTablesOfTheDocumentAreThese() throws {
        let document = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Documentation/Combine.md")
            .standardizedFileURL
        let text = try String(contentsOf: document, encoding: .utf8)
        let (start, end) = ("<!-- tables -->\n", "<!-- end of tables -->")
        let head = try #require(text.range(of: start)?.upperBound)
        let tail = try #require(text.range(of: end)?.lowerBound)
        if ProcessInfo.processInfo.environment["COMBINE_TABLE"] == "write" {
            let new = text[..<head] + Self.tables + text[tail...]
            try String(new).write(to: document, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[head..<tail]) == Self.tables, "run Scripts/generate-combine")
        }
    }

    private static var tables: String {
        func cell(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
        var result = ""
        for (title, rows) in groups {
            result +=
                "\n## \(title)\n\n| Operator | Code of | Ends | Asks its upstream for | A cancellation |\n| --- | --- | --- | --- | --- |\n"
            for row in rows {
                let cells = [row.ends.sentence, row.asks.sentence, row.cancels.sentence].map(cell)
                result += "| `\(row.name)` | \(row.origin) | \(cells.joined(separator: " | ")) |\n"
            }
        }
        for (title, facts) in [("Publishers", Fact.publishers), ("Subscribers", Fact.subscribers)] {
            result += "\n## \(title)\n\n| Name | What it does |\n| --- | --- |\n"
            for fact in facts { result += "| `\(fact.name)` | \(cell(fact.sentence)) |\n" }
        }
        return result + "\n"
    }
}
