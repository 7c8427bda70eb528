import BLEController
import Foundation
import Testing

@testable import BLEVirtualRadio

/// The name, position, address and platform that a program requests in its environment.
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
        #expect(introduction(["BLUETOOTH_RADIO_PLATFORM=iphone-ios-11"], []).platform == "iphone-ios-11")
        #expect(introduction(["BLUETOOTH_RADIO_PLATFORM="], []).platform == nil)
        #expect(introduction(["BLUETOOTH_RADIO_PLATFORMS=x", "XBLUETOOTH_RADIO_PLATFORM=x"], []).platform == nil)
        #expect(introduction(["BLUETOOTH_RADIO_PLATFORM=a\u{1B}[2Jb"], []).platform == "a?[2Jb")
        let long = String(repeating: "p", count: 100_000)
        #expect(introduction(["BLUETOOTH_RADIO_PLATFORM=" + long], []).platform?.count == 40)
        let endless = introduction([], [String(repeating: "x", count: 100_000)])
        #expect(endless.name?.count == 32)
    }

    @Test func anUnknownPlatformIsRefusedWithTheNames() {
        let names = ["pixel", "iphone", "bluez"]
        #expect(
            RequestedPlatform.complaint("iphon", names)
                == "BLUETOOTH_RADIO_PLATFORM=iphon names no platform (did you mean iphone?): write one of bluez, iphone, pixel."
        )
        #expect(
            RequestedPlatform.complaint("teapot", names)
                == "BLUETOOTH_RADIO_PLATFORM=teapot names no platform: write one of bluez, iphone, pixel.")
    }

    @Test func theSystemReportsTheProcess() throws {
        let introduction = ProcessIntroduction(process: getpid())
        let name = try #require(introduction.name)
        #expect(!name.isEmpty)
        #expect(ProcessIntroduction(process: -1) == ProcessIntroduction(environment: [], commandLine: []))
    }
}
