import BLEWire

/// A packet on the air as the radio recorded it.
package struct AirFrame: Hashable, Sendable {
    /// The outcome of a packet at a device that listened for it.
    package enum Outcome: UInt8, Hashable, Sendable {
        case received
        /// Received with bit errors.
        case corrupted
        /// Lost before its access address was complete: the receiver did not notice it.
        case missed
    }

    /// A device in range that listened on the packet's channel for its access address.
    package struct Reception: Hashable, Sendable {
        package var receiver: Int32
        /// The received power in dBm.
        package var rssi: Int8
        package var outcome: Outcome

        package init(receiver: Int, rssi: Int8, outcome: Outcome) {
            self.receiver = Int32(truncatingIfNeeded: receiver)
            self.rssi = rssi
            self.outcome = outcome
        }
    }

    /// The position among all packets of the run, from 0.
    package var number: Int
    /// The start of the preamble in nanoseconds.
    package var start: Int64
    /// The time from preamble to CRC in nanoseconds.
    package var airTime: Int64
    /// The channel index, 0 to 39; 37, 38 and 39 are the advertising channels (Vol 6, Part B, 1.4.1).
    package var channel: UInt8
    package var phy: LL.PHY
    package var accessAddress: UInt32
    /// The CRC's initial value, 24 bits.
    package var crcInit: UInt32
    /// Header and payload, without the CRC.
    package var octets: [UInt8]
    /// The payload of an encrypted packet before its encryption, without the MIC; nil if the recorder does not know it.
    package var plaintext: [UInt8]?
    /// Whether `octets` have the plaintext of a payload that was encrypted on the air. Files of recorders may have lost the encrypted one.
    package var isDecrypted: Bool
    /// The number of the sending controller.
    package var sender: Int
    package var receptions: [Reception]

    package init(
        number: Int, start: Int64, airTime: Int64, channel: UInt8, phy: LL.PHY, accessAddress: UInt32,
        crcInit: UInt32 = 0, octets: [UInt8], plaintext: [UInt8]? = nil, isDecrypted: Bool = false, sender: Int,
        receptions: [Reception] = []
    ) {
        self.number = number
        self.start = start
        self.airTime = airTime
        self.channel = channel
        self.phy = phy
        self.accessAddress = accessAddress
        self.crcInit = crcInit
        self.octets = octets
        self.plaintext = plaintext
        self.isDecrypted = isDecrypted
        self.sender = sender
        self.receptions = receptions
    }

    /// Whether a data PDU repeats the one before it from the same side (Vol 6, Part B, 4.5.9).
    ///
    /// A recorder may miss packets, so the content decides as well as the sequence number. The first octet has also flags that change.
    static func isRepetition(_ pdu: [UInt8], of last: [UInt8]) -> Bool {
        guard let first = pdu.first, let lastFirst = last.first, pdu.count == last.count else { return false }
        return first & 0x0B == lastFirst & 0x0B && pdu[1...] == last[1...]
    }

    /// Whether a decrypted control PDU still has the MIC at its end, which some recorders leave: it decodes only without it.
    static func hasMIC(control payload: ArraySlice<UInt8>) -> Bool {
        guard payload.count > LL.micLength else { return false }
        return !isControlPDU(Array(payload)) && isControlPDU(Array(payload.dropLast(LL.micLength)))
    }

    private static func isControlPDU(_ octets: [UInt8]) -> Bool {
        do {
            _ = try LL.ControlPDU(decoding: octets.span)
            return true
        } catch {
            return false
        }
    }

    /// Whether a device received the packet without bit errors.
    package var isHeard: Bool {
        for reception in receptions where reception.outcome == .received { return true }
        return false
    }
}
