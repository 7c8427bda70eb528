import BLEWire

package final class HostCore {
    let executor: any AdapterExecutor
    init(executor: any AdapterExecutor) { self.executor = executor }
    func powerOff() {}
    func powerOn() {}
    func flush() {}
    var nextDeadline: Instant? { nil }
    func handleTimeout() {}
    func receive(_ packet: Span<UInt8>) {}
}
