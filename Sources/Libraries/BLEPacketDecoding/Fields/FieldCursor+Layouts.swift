import BLEAssignedNumbers
import BLEWire

extension FieldCursor {
    /// Takes the fields of a declared PDU.
    mutating func take(_ layouts: [FieldLayout]) {
        for layout in layouts { take(layout) }
    }

    private mutating func take(_ layout: FieldLayout) {
        let (name, language) = (layout.name, language)
        switch layout.kind {
        case .number where layout.octets <= 8:
            number(name, layout.octets) { FieldWords.number($0, layout.unit, octets: layout.octets, language) }
        case .number: octets(name, layout.octets) { FieldWords.bigEndian($0) }
        case .bool: number(name, layout.octets) { language.yesOrNo($0 != 0) }
        case .controlOpcode:
            number(name, layout.octets) { FieldWords.name(LL.ControlOpcode(rawValue: UInt8(truncatingIfNeeded: $0))) }
        case .featureSet: bits(name, layout.octets, text: { "0x" + hexadecimal($0, digits: 16) }, FieldWords.features)
        case .phySet:
            bits(
                name, layout.octets,
                text: { LLText.phys(LL.PHYSet(rawValue: UInt8(truncatingIfNeeded: $0)), language) },
                [.flag("LE 1M"), .flag("LE 2M"), .flag("LE Coded")])
        case .signed, .powerPHYSet, .powerLimits, .channelClassification: takePower(layout)
        case .channelMap: channelMap(name)
        case .sessionPart:
            group(name, layout.octets) { inner in
                inner.number("Session key diversifier", 8) { hexadecimal($0, digits: 16) }
                inner.number("Initialization vector", 4) { hexadecimal($0, digits: 8) }
            }
        case .syncInfo: group(name, layout.octets) { ExtendedAdvertisingFields.sync(&$0) }
        case .periodicAdvertiserInfo:
            bits(
                name, layout.octets,
                [
                    BitField("Set ID", 4),
                    BitField("Advertiser's address") { $1.addressType(isRandom: $0 == 1) },
                    BitField("Sender's clock accuracy", 3) { FieldWords.clockAccuracy($0, $1) },
                ])
        case .advertiserAddress: number(name, layout.octets) { "\(DeviceAddress(kind: .random, value: $0))" }
        case .channelIdentifier:
            number(name, layout.octets) { FieldWords.channel(UInt16(truncatingIfNeeded: $0), language) }
        case .connectionParameterUpdateResponseResult:
            number(name, layout.octets) { $0 == 0 ? language.accepted : $0 == 1 ? language.rejected : "\($0)" }
        case .creditBasedConnectionResponseResult:
            number(name, layout.octets) {
                L2CAP.CreditBasedConnectionResponse.Result(rawValue: UInt16(truncatingIfNeeded: $0)).name(language)
            }
        case .enhancedReconfigureResponseResult:
            number(name, layout.octets) {
                L2CAP.EnhancedReconfigureResponse.Result(rawValue: UInt16(truncatingIfNeeded: $0)).name(language)
            }
        case .ioCapability, .authenticationRequirements, .keyDistribution, .failureReason, .keypressNotificationKind:
            takeSecurity(layout)
        case .longTermKey, .identityResolvingKey, .signatureKey:
            octets(name, layout.octets) { FieldWords.bigEndian($0) }
        }
    }

    /// Takes a field of a pairing (Vol 3, Part H, 3.5 and 3.6).
    private mutating func takeSecurity(_ layout: FieldLayout) {
        let (name, language) = (layout.name, language)
        switch layout.kind {
        case .ioCapability:
            number(name, layout.octets) { SMP.IOCapability(rawValue: UInt8(truncatingIfNeeded: $0)).text(language) }
        case .authenticationRequirements:
            bits(
                name, layout.octets,
                text: { SMP.AuthenticationRequirements(rawValue: UInt8(truncatingIfNeeded: $0)).text(language) },
                [
                    BitField("Bonding", 2) { $0 > 1 ? $1.reserved : $1.yesOrNo($0 == 1) }, .flag("MITM protection"),
                    .flag("Secure Connections"), .flag("Keypress notifications"), .flag("CT2"),
                ])
        case .keyDistribution:
            bits(
                name, layout.octets,
                [
                    .flag("Encryption key (LTK)"), .flag("Identity key (IRK)"), .flag("Signing key (CSRK)"),
                    .flag("BR/EDR link key"),
                ])
        case .failureReason:
            number(name, layout.octets) { language.reason(SMP.FailureReason(rawValue: UInt8(truncatingIfNeeded: $0))) }
        case .keypressNotificationKind:
            number(name, layout.octets) {
                SMP.KeypressNotification.Kind(rawValue: UInt8(truncatingIfNeeded: $0)).text(language)
            }
        default: octets(name, layout.octets)
        }
    }

    /// Takes a field of the procedures for power and channels (Vol 6, Part B, 2.4.2.33 to 2.4.2.39).
    private mutating func takePower(_ layout: FieldLayout) {
        let (name, language) = (layout.name, language)
        switch layout.kind {
        case .signed:
            number(name, layout.octets) {
                FieldWords.signed(Int8(truncatingIfNeeded: $0), layout.unit, language)
            }
        case .powerPHYSet:
            bits(
                name, layout.octets,
                text: { LLText.phys(LL.PowerPHYSet(rawValue: UInt8(truncatingIfNeeded: $0)), language) },
                [.flag("LE 1M"), .flag("LE 2M"), .flag("LE Coded, S=8"), .flag("LE Coded, S=2")])
        case .powerLimits:
            bits(name, layout.octets, [.flag("At the minimum"), .flag("At the maximum")])
        case .channelClassification:
            octets(name, layout.octets) { octets in
                let status = try? LL.ChannelStatusInd(decoding: Array(octets).span)
                return FieldWords.classification(status?.classification ?? .unknown, language)
            }
        default: octets(name, layout.octets)
        }
    }

    /// A map of the 37 data channels, and the three bits after it (Vol 6, Part B, 2.3.3.1).
    mutating func channelMap(_ name: String) {
        let language = language
        bits(
            name, 5,
            text: {
                let count = LL.ChannelMap(rawValue: $0).count
                return language("\(count) of 37 channels", "37 个信道中的 \(count) 个")
            },
            [BitField("Channels 0 to 36", 37) { FieldWords.channels(LL.ChannelMap(rawValue: $0), $1) }])
    }

    /// A device address, whose type is a bit of the header (Vol 6, Part B, 1.3).
    mutating func address(_ name: String, isRandom: Bool) {
        let language = language
        number(name, 6) { FieldWords.address(DeviceAddress(kind: isRandom ? .random : .public, value: $0), language) }
    }

    /// A UUID of 2, 4 or 16 octets.
    mutating func uuid(_ name: String, _ count: Int) {
        octets(name, count) { slice in
            guard let uuid = try? BluetoothUUID(decoding: Array(slice).span) else {
                return octetText(Array(slice).span)
            }
            return FieldWords.uuid(uuid)
        }
    }
}
