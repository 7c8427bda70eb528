import BLEAdapter
import BLERuntime
import BLETransport
import BLEVirtualRadio

extension World {
    /// Records the packets on the air for Wireshark: pcapng, with signal, channel and PHY of each packet.
    ///
    /// The time stamps are virtual time since 1970 began, so the same run gives the same file to the bit. A slow reader does not
    /// slow the world down; the capture counts the packets that it drops.
    ///
    /// - Parameters:
    ///   - path: a file, which is replaced; a named pipe; or `-`, the standard output.
    ///   - names: the names of the devices in the order of their creation, for remarks on lost packets.
    /// - Throws: an error whose description says in one sentence why it cannot be written there, and what to do.
    /// - Returns: the capture, to be finished when the file is to be complete.
    @discardableResult
    public func captureAir(to path: String, names: [String] = []) throws -> Capture {
        try captureAir(to: path, names: names, clock: .virtual)
    }

    package func captureAir(to path: String, names: [String] = [], clock: CaptureClock) throws -> Capture {
        let sink = try CaptureSink(path: path)
        let capture = AirCapture(to: sink, clock: clock, names: names)
        try sink.verify()
        radio.record(capture)
        return Capture(sink) { capture.droppedPackets }
    }

    /// Records the HCI packets between all hosts and controllers for btmon and Wireshark: btsnoop in the format of
    /// the Linux Monitor, in which controller 0 belongs to the first device, and so on.
    ///
    /// - Parameter path: a file, which is replaced; a named pipe; or `-`, the standard output.
    /// - Throws: an error whose description says in one sentence why it cannot be written there, and what to do.
    /// - Returns: the capture, to be finished when the file is to be complete.
    @discardableResult
    public func captureHCI(to path: String) throws -> Capture { try captureHCI(to: path, clock: .virtual) }

    package func captureHCI(to path: String, clock: CaptureClock) throws -> Capture {
        let sink = try CaptureSink(path: path)
        let capture = HCICapture(to: sink, format: .monitor)
        try sink.verify()
        radio.record(capture, clock: clock)
        return Capture(sink) { capture.droppedPackets }
    }
}

extension VirtualDevice {
    /// Records the HCI packets between this device's host and controller for btmon and Wireshark: btsnoop with H4
    /// packets. The capture has the start-up if it begins before the world first runs.
    ///
    /// - Parameter path: a file, which is replaced; a named pipe; or `-`, the standard output.
    /// - Throws: an error whose description says in one sentence why it cannot be written there, and what to do.
    /// - Returns: the capture, to be finished when the file is to be complete.
    @discardableResult
    public func captureHCI(to path: String) throws -> Capture {
        let sink = try CaptureSink(path: path)
        let capture = HCICapture(to: sink, format: .h4)
        try sink.verify()
        radio.record(capture, clock: .virtual, slot: host.slot)
        return Capture(sink) { capture.droppedPackets }
    }
}
