import Foundation
import Testing

/// The example `packet-list`.
struct PacketListRealTimeTests {
    @Test func theExamplePrintsEveryPacketWithItsFields() throws {
        let process = Process()
        // Beside the test bundle.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("packet-list")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = text.split(separator: "\n")
        for part in [
            "Thermometer: ADV_IND", "Phone: CONNECT_IND", "Phone: ATT_READ_REQ", "Thermometer: LL_START_ENC_REQ",
        ] {
            #expect(lines.contains { $0.contains(part) }, "\(part) is missing")
        }
        #expect(lines.contains { $0.hasSuffix("(encrypted)") })
        #expect(lines.contains { $0.contains("Value: 21.5 °C") })
        #expect(lines.last?.contains("encrypted: true") == true)
    }
}
