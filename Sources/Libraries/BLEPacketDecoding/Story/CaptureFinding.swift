import BLEWire

/// Something unusual in a capture, with the packets that show it.
package struct CaptureFinding: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case supervisionTimeout
        /// The packets of a link on the air stop without a reason.
        case fellSilent
        case notEstablished
        case responseTimeout
        case micFailure
        case instantPassed
        /// The error code of a failed encryption.
        case keyMissing(HCI.ErrorCode)
        case updateRefused(HCI.ErrorCode?, askedBy: LinkSide?)
        /// An answer to this request did not come within 30 s.
        case attributeTimeout(ATT.Opcode)
        case requestBeforeAnswer(ATT.Opcode)
        case updateWithoutSubscription(handle: UInt16, BluetoothUUID?, isIndication: Bool)
        case writeToUndiscovered(handle: UInt16)
        case indicationNotConfirmed(handle: UInt16, BluetoothUUID?)
        case secondMTUExchange
        /// The number of L2CAP frames that do not fit a packet.
        case dataLengthNotExtended(frames: Int)
        case changeWithoutDiscovery
        case pairingFailed(SMP.FailureReason, by: LinkSide)
        case pairingTimeout
        case securityIgnored(ATT.ErrorCode)
        case retransmissions(LinkSide, percent: Int)
        case invalidParameters(LinkParameters)
        case accessoryGuidelines(AccessoryRule, RequestedParameters)
        /// The address; nil for the host of the capture. The interval in microseconds.
        case advertisingTooFast(DeviceAddress?, interval: Int)
    }

    /// The rules for connection parameters in Apple's "Accessory Design Guidelines for Apple Devices" that all of its versions of the last years have.
    package enum AccessoryRule: Hashable, Sendable, CaseIterable {
        case minimumBelow15
        case minimumNotMultipleOf15
        case rangeTooNarrow
        case latencyTooLong
        case timeoutOutOfRange
        case silenceTooLong
        case timeoutTooShortForLatency
    }

    /// The most packets that a finding names.
    package static let frameLimit = 4

    package var kind: Kind
    /// The first packets that show it.
    package var frames: [Int]
    /// How often it occurred.
    package var count = 1

    /// Whether it is a fault, and not only worth knowing.
    package var isProblem: Bool {
        switch kind {
        case .writeToUndiscovered, .dataLengthNotExtended, .accessoryGuidelines, .retransmissions, .updateRefused,
            .changeWithoutDiscovery:
            false
        default: true
        }
    }
}

/// The findings of a link or of a capture. A repeated one is counted.
package struct FindingList: Hashable, Sendable {
    /// The most different findings. Further ones are counted only.
    package static let limit = 64

    package private(set) var all: [CaptureFinding] = []
    package private(set) var leftOut = 0

    /// The number of different findings that are faults.
    var problems: Int { all.count(where: \.isProblem) }

    mutating func add(_ kind: CaptureFinding.Kind, at moment: Moment) {
        if let index = all.firstIndex(where: { $0.kind == kind }) {
            all[index].count += 1
            if all[index].frames.count < CaptureFinding.frameLimit { all[index].frames.append(moment.frame) }
        } else if all.count < Self.limit {
            all.append(CaptureFinding(kind: kind, frames: [moment.frame]))
        } else {
            leftOut += 1
        }
    }
}

extension RequestedParameters {
    /// The rules of Apple's guidelines that a request of an accessory breaks. An interval of 11.25 ms is for devices with HID over GATT.
    var brokenAccessoryRules: [CaptureFinding.AccessoryRule] {
        let (minimum, maximum, events) = (Int(minimum), Int(maximum), Int(latency) + 1)
        // In units of 1.25 ms.
        let supervision = Int(timeout) * 8
        var broken: [CaptureFinding.AccessoryRule] = []
        let isInputDevice = minimum == 9
        if minimum < 12, !isInputDevice { broken.append(.minimumBelow15) }
        if minimum >= 12, minimum % 12 != 0 { broken.append(.minimumNotMultipleOf15) }
        if maximum < minimum + 12, !(minimum == 12 && maximum == 12), !isInputDevice { broken.append(.rangeTooNarrow) }
        if latency > 30 { broken.append(.latencyTooLong) }
        if !(200...1800).contains(timeout) { broken.append(.timeoutOutOfRange) }
        if maximum * events > 4800 { broken.append(.silenceTooLong) }
        if maximum * events * 3 >= supervision { broken.append(.timeoutTooShortForLatency) }
        return broken
    }
}

extension LinkParameters {
    /// Whether the values are in their ranges, and the supervision timeout is longer than the peripheral may stay silent (Vol 6, Part B, 4.5.2).
    var isValid: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout)
            && UInt32(timeout) * 8 > 2 * (1 + UInt32(latency)) * UInt32(interval)
    }
}
