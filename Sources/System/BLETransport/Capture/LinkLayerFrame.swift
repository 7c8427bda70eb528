import BLEWire

/// The description of a packet on the air in a capture: the pseudo header of the link type LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR
/// (256).
package struct LinkLayerFrame: Hashable, Sendable {
    /// The sender of a packet of a connection.
    package enum Direction: Hashable, Sendable {
        /// An advertising packet, or a connection whose start is not in the capture.
        case unspecified
        case centralToPeripheral
        case peripheralToCentral
    }

    enum Flag {
        static let dewhitened: UInt16 = 0x0001
        static let signalPowerIsValid: UInt16 = 0x0002
        static let decrypted: UInt16 = 0x0008
        static let referenceAddressIsValid: UInt16 = 0x0010
        static let offensesAreValid: UInt16 = 0x0020
        static let direction: UInt16 = 7 << 7
        static let centralToPeripheral: UInt16 = 2 << 7
        static let peripheralToCentral: UInt16 = 3 << 7
        static let crcIsChecked: UInt16 = 0x0400
        static let crcIsValid: UInt16 = 0x0800
        static let micIsChecked: UInt16 = 0x1000
        static let micIsValid: UInt16 = 0x2000
        static let phy: UInt16 = 3 << 14
        static let twoM: UInt16 = 1 << 14
        static let coded: UInt16 = 2 << 14
    }

    /// The octets of the pseudo header.
    static let headerCount = 10

    /// The channel index, 0 to 39; 37, 38 and 39 are the advertising channels.
    package var channel: UInt8
    package var phy: LL.PHY
    /// The received power in dBm; nil if no device received it.
    package var signalPower: Int8?
    package var accessAddress: UInt32
    /// The CRC's initial value, 24 bits.
    package var crcInit: UInt32
    package var direction: Direction

    package init(
        channel: UInt8, phy: LL.PHY, signalPower: Int8?, accessAddress: UInt32, crcInit: UInt32, direction: Direction
    ) {
        self.channel = channel
        self.phy = phy
        self.signalPower = signalPower
        self.accessAddress = accessAddress
        self.crcInit = crcInit
        self.direction = direction
    }

    /// The RF channel, which counts by frequency, from 2402 MHz in steps of 2 MHz (Vol 6, Part B, 1.4.1).
    package var rfChannel: UInt8 {
        switch channel {
        case 0...10: channel + 1
        case 11...36: channel + 2
        case 37: 0
        case 38: 12
        default: 39
        }
    }

    /// The channel index of an RF channel; nil above 39.
    static func channel(ofRFChannel number: UInt8) -> UInt8? {
        switch number {
        case 0: 37
        case 1...11: number - 1
        case 12: 38
        case 13...38: number - 2
        case 39: 39
        default: nil
        }
    }

    private var isCoded: Bool { phy == .codedS8 || phy == .codedS2 }

    private var flags: UInt16 {
        var flags =
            Flag.dewhitened | Flag.referenceAddressIsValid | Flag.offensesAreValid | Flag.crcIsChecked | Flag.crcIsValid
        if signalPower != nil { flags |= Flag.signalPowerIsValid }
        switch direction {
        case .unspecified: break
        case .centralToPeripheral: flags |= Flag.centralToPeripheral
        case .peripheralToCentral: flags |= Flag.peripheralToCentral
        }
        switch phy {
        case .oneM: break
        case .twoM: flags |= Flag.twoM
        case .codedS8, .codedS2: flags |= Flag.coded
        }
        return flags
    }

    /// The length of the pseudo header, the access address, the PDU and the CRC.
    func encodedCount(_ pdu: Span<UInt8>) -> Int { Self.headerCount + 4 + (isCoded ? 1 : 0) + pdu.count + 3 }

    /// Appends all of it. The packet is as it was sent, so it has no bit errors and its CRC is right.
    func append(_ pdu: Span<UInt8>, to output: inout [UInt8]) {
        output.append(rfChannel)
        output.append(UInt8(bitPattern: signalPower ?? 0))
        // The noise, which the flags say is not known; and the bit errors of the access address.
        output.append(0)
        output.append(0)
        output.append(littleEndian: accessAddress)
        output.append(littleEndian: flags)
        output.append(littleEndian: accessAddress)
        // The coding indicator (Vol 6, Part B, 2.2.3).
        if isCoded { output.append(phy == .codedS2 ? 1 : 0) }
        output.append(pdu)
        let crc = LL.crc(of: pdu, initial: crcInit)
        for shift: UInt32 in [0, 8, 16] { output.append(UInt8(truncatingIfNeeded: crc >> shift)) }
    }
}
