import Foundation
import Logging
import Testing
import os.log

/// What was logged under one label.
final class Sink: @unchecked Sendable {
    static let shared = Sink()
    private let lock = NSLock()
    private var lines: [String: [String]] = [:]

    /// swift-log can be bootstrapped once in a process.
    private init() {
        LoggingSystem.bootstrap { SinkHandler(label: $0) }
    }

    func add(_ line: String, _ label: String) { lock.withLock { lines[label, default: []].append(line) } }
    func lines(of label: String) -> [String] { lock.withLock { lines[label] ?? [] } }
}

private struct SinkHandler: LogHandler {
    let label: String
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel = Logging.Logger.Level.debug

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let category = metadata["category"].map { " [\($0)]" } ?? ""
        Sink.shared.add("\(event.level)\(category) \(event.message)", label)
    }
}

private struct Thing: CustomStringConvertible { let description = "a thing" }

@Test func aLoggerWritesToTheLabelOfItsSubsystem() {
    let sink = Sink.shared
    let logger = os.Logger(subsystem: "org.example.levels", category: "radio")
    logger.log("a")
    logger.debug("b")
    logger.info("c")
    logger.notice("d")
    logger.warning("e")
    logger.error("f")
    logger.fault("g")
    logger.log(level: .error, "h")
    logger.trace("below the level")
    #expect(
        sink.lines(of: "org.example.levels") == [
            "notice [radio] a", "debug [radio] b", "info [radio] c", "notice [radio] d", "warning [radio] e",
            "error [radio] f", "critical [radio] g", "error [radio] h",
        ])
}

@Test func valuesAreWrittenAsTheirFormatSays() {
    let sink = Sink.shared
    let logger = os.Logger(subsystem: "org.example.values", category: "")
    let name: String? = nil
    let text = "x"
    logger.info("\(text, privacy: .public) \(Thing()) \(name) \(7) \(Int8(-5)) \(true)")
    logger.info("\(255, format: .hex(includePrefix: true, minDigits: 4)) \(1.5, format: .fixed(precision: 3))")
    logger.info("\(text, align: .right(columns: 3))|\(text, align: .left(columns: 3))|\(true, format: .answer)")
    logger.info("\(text, privacy: .private) \(7, privacy: .sensitive)")
    logger.info("\(CancellationError() as any Error)")
    #expect(
        sink.lines(of: "org.example.values") == [
            "info x a thing nil 7 -5 true", "info 0x00ff 1.500", "info   x|x  |yes", "info <private> <private>",
            "info CancellationError()",
        ])
}

@Test func maskedValuesCanBeComparedButNotRead() {
    func written(_ value: String) -> String { OSLogMessageText.of("\(value, privacy: .private(mask: .hash))") }
    #expect(written("secret") == written("secret"))
    #expect(written("secret") != written("Secret"))
    #expect(!written("secret").contains("secret"))
}

/// The text of a message, by way of a log.
enum OSLogMessageText {
    static func of(_ message: OSLogMessage) -> String {
        let label = "org.example.\(UUID())"
        _ = Sink.shared
        os.Logger(subsystem: label, category: "").info(message)
        return Sink.shared.lines(of: label).last ?? ""
    }
}

@Test func theFunctionTakesFormatsLikePrintf() {
    let sink = Sink.shared
    let log = OSLog(subsystem: "org.example.printf", category: "c")
    let name = "wrist"
    let missing: String? = nil
    os_log("plain", log: log)
    os_log("%{public}@ is at %d dBm", log: log, type: .info, name, -50)
    os_log(.error, log: log, "%s %04x %.1f%% %{private}@ %@", name, 0xAB, 12.34, "hidden", missing)
    os_log("too few: %d %d", log: log, type: .debug, 1)
    os_log("wrong: %d %q", log: log, type: .debug, "text")
    os_log(.info, log: log, "new \(name)")
    os_log("nobody sees this", log: .disabled)
    #expect(
        sink.lines(of: "org.example.printf") == [
            "notice [c] plain", "info [c] wrist is at -50 dBm", "error [c] wrist 00ab 12.3% <private> (null)",
            "debug [c] too few: 1 <missing>", "debug [c] wrong: text %q", "info [c] new wrist",
        ])
}

@Test func aMessageThatNobodyReadsIsNotMade() {
    _ = Sink.shared
    func expensive() -> String {
        Issue.record("this was evaluated")
        return ""
    }
    os.Logger(subsystem: "org.example.lazy", category: "").trace("\(expensive())")
    #expect(!OSLog.disabled.isEnabled(type: .fault))
    #expect(OSLog(subsystem: "org.example.lazy", category: "").isEnabled(type: .debug))
}

@Test func anIntervalRunsItsBody() {
    let signposter = OSSignposter(subsystem: "org.example.signpost", category: .pointsOfInterest)
    #expect(signposter.withIntervalSignpost("work") { 7 } == 7)
    #expect(signposter.makeSignpostID() != signposter.makeSignpostID())
}
