/// The flow control of the host's ACL data: the buffers that the host may fill (Vol 4, Part E, 4.1.1).
struct ACLFlowControl {
    let bufferCount: UInt8
    let bufferLength: UInt16
    /// The host's packets that have not been reported as completed.
    private var inUse = 0

    init(bufferCount: UInt8, bufferLength: UInt16) {
        self.bufferCount = bufferCount
        self.bufferLength = bufferLength
    }

    /// Takes a packet with `count` octets of data. Returns whether it fits.
    mutating func take(_ count: Int) -> Bool {
        guard inUse < Int(bufferCount), count <= Int(bufferLength) else { return false }
        inUse += 1
        return true
    }

    /// Frees the buffers of packets that were completed, or discarded with their link.
    mutating func free(_ count: Int) { inUse -= count }

    mutating func reset() { inUse = 0 }

    /// The number of completed packets of one link from which the controller reports them.
    var reportingThreshold: UInt16 { UInt16(max(1, bufferCount / 4)) }
}
