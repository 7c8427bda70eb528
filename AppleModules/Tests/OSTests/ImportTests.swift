import OSLog
import Testing

// That this compiles is the test: the older door leads to the same things.
@Test func theOlderModuleBringsTheSameNames() {
    let logger: Logger = Logger(subsystem: "org.example", category: "imports")
    logger.debug("\(OSLogType.debug.rawValue)")
    #expect(OSLogType.fault.rawValue == 17)
}
