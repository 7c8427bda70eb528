import ArgumentParser
import Testing

@testable import bluelab

struct OutputTests {
    @Test func longHexadecimalTextStatesTheOctetCount() {
        #expect(hexadecimal([0, 0xAB].span) == "00 AB")
        #expect(hexadecimal([UInt8](repeating: 1, count: 30).span, limit: 2) == "01 01 ... (30 octets)")
    }

    @Test func theDemoParsesItsOptions() throws {
        #expect(try WristbandDemoCommand.parse([]).trace == nil)
        #expect(Bluelab.completed(["demo", "--trace", "--no-color"]) == ["demo", "--trace=air", "--no-color"])
        #expect(Bluelab.completed(["demo", "--trace"]) == ["demo", "--trace=air"])
        #expect(Bluelab.completed(["demo", "--trace", "hci"]) == ["demo", "--trace", "hci"])
        #expect(try WristbandDemoCommand.parse(["--trace=hci", "--seed", "5"]).trace == .hci)
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--trace=everything"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--distance=-1"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--distance=nan"]) }
        for pace in ["0", "-1", "nan", "fast"] {
            #expect(throws: (any Error).self) { try RadioServeCommand.parse(["--listen=unix:x", "--pace=\(pace)"]) }
        }
        #expect(throws: Never.self) { try RadioServeCommand.parse(["--listen=unix:x", "--pace=unlimited"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--seed", "x"]) }
    }
}
