import Foundation
import Logging
import Testing

@testable import os

@Suite struct LogThresholdTests {
    @Test func withoutTheVariableNothingBelowWarningIsWritten() {
        for value in [nil, ""] {
            let (threshold, complaint) = LogThreshold.parse(value)
            #expect(threshold.level == .warning)
            #expect(!threshold.isChosen)
            #expect(complaint == nil)
        }
    }

    @Test(arguments: [
        ("trace", Logging.Logger.Level.trace), ("Debug", .debug), ("INFO", .info), ("critical", .critical),
    ])
    func theVariableNamesALevelInAnyCase(value: String, level: Logging.Logger.Level) {
        let (threshold, complaint) = LogThreshold.parse(value)
        #expect(threshold.level == level)
        #expect(threshold.isChosen)
        #expect(complaint == nil)
    }

    @Test func offDropsEverything() {
        let (threshold, _) = LogThreshold.parse("off")
        #expect(threshold.applied(to: Logging.Logger(label: "x") { StreamLogHandler.standardError(label: $0) }) == nil)
    }

    @Test func anUnknownValueIsNamedAndMeansTheDefault() throws {
        let (threshold, complaint) = LogThreshold.parse("loud")
        #expect(threshold.level == .warning && !threshold.isChosen)
        let sentence = try #require(complaint)
        #expect(sentence.contains("BLUETOOTH_LOG=loud") && sentence.contains("trace, debug, info"))
    }

    @Test func theTerminalIsLimitedAndAHandlerOfTheProgramIsNot() {
        let terminal = Logging.Logger(label: "x") { StreamLogHandler.standardError(label: $0) }
        #expect(LogThreshold().applied(to: terminal)?.logLevel == .warning)
        var chatty = terminal
        chatty.logLevel = .debug
        #expect(LogThreshold().applied(to: chatty)?.logLevel == .debug)
        let chosen = LogThreshold.parse("error").0
        #expect(chosen.applied(to: chatty)?.logLevel == .error)
        let own = Logging.Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }
        #expect(LogThreshold().applied(to: own)?.logLevel == .critical)
    }
}
