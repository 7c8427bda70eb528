import BLEAdapter
import BLEHostAdapter
import BLETransport
import BLEVirtualRadio

extension World {
    /// Captures every packet on the air from now on for Wireshark: pcapng with the signal, channel and PHY of each packet.
    ///
    /// The time stamps are virtual time since 1970, so equal runs give equal files. A slow reader does not delay the world; the
    /// capture counts the packets that it drops.
    ///
    /// - Parameters:
    ///   - path: A file, which is replaced, a named pipe, `-` for the standard output, or an address: `tcp:HOST:PORT` or `unix:PATH`.
    ///     Each program that connects to an address, at most 8 at a time, gets the packets from then on.
    ///   - names: The names of the devices in the order of their creation, for comments on lost packets.
    /// - Throws: An error whose description says why the capture cannot be written, and what to do.
    /// - Returns: The capture. Finish it to complete the file.
    @discardableResult
    public func captureAir(to path: String, names: [String] = []) throws -> Capture {
        try captureAir(to: path, names: names, clock: .virtual)
    }

    package func captureAir(to path: String, names: [String] = [], clock: CaptureClock) throws -> Capture {
        let sink =
            if CaptureSink.isAddress(path) { try CaptureSink(at: TransportAddress(parsing: path)) } else {
                try CaptureSink(path: path)
            }
        let capture = AirCapture(to: sink, clock: clock, names: names)
        try sink.verify()
        radio.record(capture)
        return Capture(sink) { capture.droppedPackets }
    }

    /// Captures the HCI packets of all hosts from now on, for btmon and Wireshark: btsnoop in the Linux Monitor format, in which
    /// controller 0 belongs to the first device.
    ///
    /// - Parameter path: A file, which is replaced, a named pipe, or `-` for the standard output.
    /// - Throws: An error whose description says why the capture cannot be written, and what to do.
    /// - Returns: The capture. Finish it to complete the file.
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
    /// Captures the HCI packets of this device's host from now on, for btmon and Wireshark: btsnoop with H4 packets. The capture
    /// contains the start-up if this call precedes the first run of the world.
    ///
    /// - Parameter path: A file, which is replaced, a named pipe, or `-` for the standard output.
    /// - Throws: An error whose description says why the capture cannot be written, and what to do.
    /// - Returns: The capture. Finish it to complete the file.
    @discardableResult
    public func captureHCI(to path: String) throws -> Capture {
        let sink = try CaptureSink(path: path)
        let capture = HCICapture(to: sink, format: .h4)
        try sink.verify()
        radio.record(capture, clock: .virtual, slot: host.slot)
        return Capture(sink) { capture.droppedPackets }
    }
}
