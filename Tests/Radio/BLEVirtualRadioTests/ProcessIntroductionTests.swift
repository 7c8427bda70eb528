import BLEController
import Foundation
import Testing

@testable import BLEVirtualRadio

/// The name, position and address that a program requests in its environment.
struct ProcessIntroductionTests {
    @Test func aProcessIsDescribedByItsEnvironment() {
        func introduction(_ environment: [String], _ commandLine: [String]) -> ProcessIntroduction {
            func octets(_ words: [String]) -> [UInt8] { words.flatMap { Array($0.utf8) + [0] } }
            return ProcessIntroduction(environment: octets(environment), commandLine: octets(commandLine))
        }
        let plain = introduction(["HOME=/root"], ["/usr/bin/walkthrough", "--fast"])
        #expect(plain.name == "walkthrough")
        #expect(plain.position == nil)
        let spoken = introduction(
            ["BLUETOOTH_RADIO_POSITION=1.5,-2", "BLUETOOTH_RADIO_NAME=left phone\u{7}"], ["phone"])
        #expect(spoken.name == "left-phone-")
        #expect(spoken.position == RadioPosition(x: 1.5, y: -2))
        #expect(introduction(["BLUETOOTH_RADIO_POSITION=1,2,3"], []).position == RadioPosition(x: 1, y: 2, z: 3))
        #expect(introduction(["BLUETOOTH_RADIO_NAME=all"], []).name == "program-all")
        #expect(introduction(["BLUETOOTH_RADIO_NAME=12"], []).name == "program-12")
        #expect(introduction([], []).name == nil)
        for useless in ["", "1", "1,2,3,4", "nan,0", "inf,0", "1e9,0", "1,,2", "x,y"] {
            #expect(introduction(["BLUETOOTH_RADIO_POSITION=" + useless], []).position == nil)
        }
        let endless = introduction([], [String(repeating: "x", count: 100_000)])
        #expect(endless.name?.count == 32)
    }

    @Test func theSystemReportsTheProcess() throws {
        let introduction = ProcessIntroduction(process: getpid())
        let name = try #require(introduction.name)
        #expect(!name.isEmpty)
        #expect(ProcessIntroduction(process: -1) == ProcessIntroduction(environment: [], commandLine: []))
    }
}
