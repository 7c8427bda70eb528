/// AES-CCM with a nonce of 13 octets and a MIC of 4 over the packets of one link (Vol 6, Part E, 2).
package protocol PacketCipher: Sendable {
    /// Encrypts `payload` in place and returns the MIC, its first octet on air in the low octet.
    ///
    /// - Parameters:
    ///   - payload: At most 251 octets.
    ///   - header: The first octet of the data PDU's header. The cipher masks NESN, SN and MD (Vol 6, Part E, 2.1).
    func seal(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8) -> UInt32

    /// Decrypts `payload` in place. Returns false if the MIC does not match; the payload is then all zeros.
    func open(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8, mic: UInt32) -> Bool
}

/// The nonce of a packet: its counter, its direction and the IV of the link (Vol 6, Part E, 2.1).
package struct PacketNonce: Hashable, Sendable {
    /// A counter of 39 bits for each direction.
    package var counter: UInt64
    package var isFromCentral: Bool
    /// IVc in the low 32 bits, IVp in the high 32 bits.
    package var initializationVector: UInt64

    package init(counter: UInt64, isFromCentral: Bool, initializationVector: UInt64) {
        self.counter = counter
        self.isFromCentral = isFromCentral
        self.initializationVector = initializationVector
    }

    /// The octet at `index`, 0 ..< 13.
    @inline(__always)
    package func octet(_ index: Int) -> UInt8 {
        if index < 4 { return UInt8(truncatingIfNeeded: counter >> UInt64(8 * index)) }
        if index == 4 { return UInt8(truncatingIfNeeded: counter >> 32) & 0x7F | (isFromCentral ? 0x80 : 0) }
        return UInt8(truncatingIfNeeded: initializationVector >> UInt64(8 * (index - 5)))
    }
}
