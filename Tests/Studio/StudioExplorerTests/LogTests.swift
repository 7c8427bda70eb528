import Phrases
import Testing

@testable import StudioExplorer

struct LogTests {
    @Test func theLogIsBoundedAndItsNumbersHaveNoGaps() {
        var log = ExplorerLog()
        for number in 0..<5000 {
            _ = log.add(
                .note, "note", Phrase(data: "entry \(number)"), swift: nil, device: nil, at: Int64(number) * 1_000_000)
        }
        #expect(log.next == 5000 && log.entries.count <= ExplorerLog.limit && log.entries.count > ExplorerLog.limit / 2)
        #expect(log.entries.last?.n == 4999)
        #expect(zip(log.entries, log.entries.dropFirst()).allSatisfy { $0.n + 1 == $1.n })
    }

    @Test func theTextHasALineForEachEntry() {
        var log = ExplorerLog()
        let name = "Pulse"
        _ = log.add(
            .call, "connect", Phrase("Connect to \(name)", "连接 \(name)"), swift: "central.connect(peripheral)",
            device: nil,
            at: 1_234_000_000)
        _ = log.add(.note, "note", Phrase(data: "Done"), swift: nil, device: nil, at: 1_234_500_000)
        #expect(
            log.text == "1.234 s  call  Connect to Pulse  | central.connect(peripheral)\n1.234 s  note  Done\n")
        log.clear()
        #expect(log.entries.isEmpty && log.next == 2)
    }
}
