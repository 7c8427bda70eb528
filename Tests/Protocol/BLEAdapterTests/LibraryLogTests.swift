import Logging
import Testing

@testable import BLEAdapter

@Suite struct LibraryLogTests {
    @Test func everyLogLevelHasAName() {
        for level in Logger.Level.allCases {
            #expect(LibraryLog.Choice(level.rawValue) == .level(level))
            #expect(LibraryLog.Choice(level.rawValue.uppercased()) == .level(level))
        }
        #expect(LibraryLog.Choice("Off") == .off)
        #expect(LibraryLog.Choice(nil) == .unset && LibraryLog.Choice("") == .unset)
    }

    @Test func anUnknownLevelIsLoggedAndTheDefaultApplies() throws {
        let choice = LibraryLog.Choice("verbose")
        #expect(choice.logger(label: "test", default: .warning).logLevel == .warning)
        let complaint = try #require(choice.complaint(default: .warning))
        #expect(
            complaint.contains("BLUETOOTH_LOG=verbose") && complaint.contains("trace, debug, info, notice, warning"))
        for silent in [LibraryLog.Choice(nil), .init("off"), .init("debug")] {
            #expect(silent.complaint(default: .warning) == nil)
        }
    }

    @Test func theVariableSetsTheLevel() {
        #expect(LibraryLog.Choice("trace").logger(label: "test", default: .warning).logLevel == .trace)
        #expect(LibraryLog.Choice(nil).logger(label: "test", default: .info).logLevel == .info)
        let off = LibraryLog.Choice("off").logger(label: "test", default: .info)
        #expect(off.handler is SwiftLogNoOpLogHandler)
    }
}
