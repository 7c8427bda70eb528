extension HCI {
    /// An event's code (Vol 4, Part E, 7.7).
    @usableFromInline
    package struct EventCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        @usableFromInline package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Matches a case of a `switch`, for each event of the controller. The library's form calls a witness for each case.
        @inlinable
        package static func ~= (pattern: EventCode, value: EventCode) -> Bool { pattern.rawValue == value.rawValue }

        @inlinable package static var disconnectionComplete: EventCode { EventCode(rawValue: 0x05) }
        @inlinable package static var encryptionChange: EventCode { EventCode(rawValue: 0x08) }
        @inlinable package static var readRemoteVersionInformationComplete: EventCode { EventCode(rawValue: 0x0C) }
        @inlinable package static var commandComplete: EventCode { EventCode(rawValue: 0x0E) }
        @inlinable package static var commandStatus: EventCode { EventCode(rawValue: 0x0F) }
        @inlinable package static var hardwareError: EventCode { EventCode(rawValue: 0x10) }
        @inlinable package static var numberOfCompletedPackets: EventCode { EventCode(rawValue: 0x13) }
        @inlinable package static var dataBufferOverflow: EventCode { EventCode(rawValue: 0x1A) }
        @inlinable package static var encryptionKeyRefreshComplete: EventCode { EventCode(rawValue: 0x30) }
        @inlinable package static var leMeta: EventCode { EventCode(rawValue: 0x3E) }
        @inlinable package static var authenticatedPayloadTimeoutExpired: EventCode { EventCode(rawValue: 0x57) }
        @inlinable package static var encryptionChangeV2: EventCode { EventCode(rawValue: 0x59) }
        @inlinable package static var vendorSpecific: EventCode { EventCode(rawValue: 0xFF) }

        /// The specification's name, or the number.
        @usableFromInline package var description: String {
            switch self {
            case .disconnectionComplete: "Disconnection Complete"
            case .encryptionChange: "Encryption Change [v1]"
            case .readRemoteVersionInformationComplete: "Read Remote Version Information Complete"
            case .commandComplete: "Command Complete"
            case .commandStatus: "Command Status"
            case .hardwareError: "Hardware Error"
            case .numberOfCompletedPackets: "Number Of Completed Packets"
            case .dataBufferOverflow: "Data Buffer Overflow"
            case .encryptionKeyRefreshComplete: "Encryption Key Refresh Complete"
            case .leMeta: "LE Meta"
            case .authenticatedPayloadTimeoutExpired: "Authenticated Payload Timeout Expired"
            case .encryptionChangeV2: "Encryption Change [v2]"
            case .vendorSpecific: "Vendor Specific"
            default: "event 0x" + hexadecimal(rawValue, digits: 2)
            }
        }
    }

    /// The code of an event inside LE Meta (Vol 4, Part E, 7.7.65).
    package struct LESubeventCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Matches a case of a `switch`, for each event of the controller. The library's form calls a witness for each case.
        package static func ~= (pattern: LESubeventCode, value: LESubeventCode) -> Bool {
            pattern.rawValue == value.rawValue
        }

        package static let connectionComplete = LESubeventCode(rawValue: 0x01)
        package static let advertisingReport = LESubeventCode(rawValue: 0x02)
        package static let connectionUpdateComplete = LESubeventCode(rawValue: 0x03)
        package static let readRemoteFeaturesComplete = LESubeventCode(rawValue: 0x04)
        package static let longTermKeyRequest = LESubeventCode(rawValue: 0x05)
        package static let remoteConnectionParameterRequest = LESubeventCode(rawValue: 0x06)
        package static let dataLengthChange = LESubeventCode(rawValue: 0x07)
        package static let readLocalP256PublicKeyComplete = LESubeventCode(rawValue: 0x08)
        package static let generateDHKeyComplete = LESubeventCode(rawValue: 0x09)
        package static let enhancedConnectionComplete = LESubeventCode(rawValue: 0x0A)
        package static let directedAdvertisingReport = LESubeventCode(rawValue: 0x0B)
        package static let phyUpdateComplete = LESubeventCode(rawValue: 0x0C)
        package static let extendedAdvertisingReport = LESubeventCode(rawValue: 0x0D)
        package static let periodicAdvertisingSyncEstablished = LESubeventCode(rawValue: 0x0E)
        package static let periodicAdvertisingReport = LESubeventCode(rawValue: 0x0F)
        package static let periodicAdvertisingSyncLost = LESubeventCode(rawValue: 0x10)
        package static let scanTimeout = LESubeventCode(rawValue: 0x11)
        package static let advertisingSetTerminated = LESubeventCode(rawValue: 0x12)
        package static let scanRequestReceived = LESubeventCode(rawValue: 0x13)
        package static let channelSelectionAlgorithm = LESubeventCode(rawValue: 0x14)
        package static let periodicAdvertisingSyncTransferReceived = LESubeventCode(rawValue: 0x18)
        package static let requestPeerSCAComplete = LESubeventCode(rawValue: 0x1F)
        package static let pathLossThreshold = LESubeventCode(rawValue: 0x20)
        package static let transmitPowerReporting = LESubeventCode(rawValue: 0x21)
        package static let subrateChange = LESubeventCode(rawValue: 0x23)
        package static let periodicAdvertisingSyncEstablishedV2 = LESubeventCode(rawValue: 0x24)
        package static let periodicAdvertisingReportV2 = LESubeventCode(rawValue: 0x25)
        package static let periodicAdvertisingSyncTransferReceivedV2 = LESubeventCode(rawValue: 0x26)
        package static let periodicAdvertisingSubeventDataRequest = LESubeventCode(rawValue: 0x27)
        package static let periodicAdvertisingResponseReport = LESubeventCode(rawValue: 0x28)
        package static let enhancedConnectionCompleteV2 = LESubeventCode(rawValue: 0x29)

        /// The specification's name, or the number.
        package var description: String {
            switch self {
            case .connectionComplete: "LE Connection Complete"
            case .advertisingReport: "LE Advertising Report"
            case .connectionUpdateComplete: "LE Connection Update Complete"
            case .readRemoteFeaturesComplete: "LE Read Remote Features Complete"
            case .longTermKeyRequest: "LE Long Term Key Request"
            case .remoteConnectionParameterRequest: "LE Remote Connection Parameter Request"
            case .dataLengthChange: "LE Data Length Change"
            case .readLocalP256PublicKeyComplete: "LE Read Local P-256 Public Key Complete"
            case .generateDHKeyComplete: "LE Generate DHKey Complete"
            case .enhancedConnectionComplete: "LE Enhanced Connection Complete [v1]"
            case .directedAdvertisingReport: "LE Directed Advertising Report"
            case .phyUpdateComplete: "LE PHY Update Complete"
            case .extendedAdvertisingReport: "LE Extended Advertising Report"
            case .periodicAdvertisingSyncEstablished: "LE Periodic Advertising Sync Established [v1]"
            case .periodicAdvertisingReport: "LE Periodic Advertising Report [v1]"
            case .periodicAdvertisingSyncLost: "LE Periodic Advertising Sync Lost"
            case .scanTimeout: "LE Scan Timeout"
            case .advertisingSetTerminated: "LE Advertising Set Terminated"
            case .scanRequestReceived: "LE Scan Request Received"
            case .channelSelectionAlgorithm: "LE Channel Selection Algorithm"
            case .periodicAdvertisingSyncTransferReceived: "LE Periodic Advertising Sync Transfer Received [v1]"
            case .requestPeerSCAComplete: "LE Request Peer SCA Complete"
            case .pathLossThreshold: "LE Path Loss Threshold"
            case .transmitPowerReporting: "LE Transmit Power Reporting"
            case .subrateChange: "LE Subrate Change"
            case .periodicAdvertisingSyncEstablishedV2: "LE Periodic Advertising Sync Established [v2]"
            case .periodicAdvertisingReportV2: "LE Periodic Advertising Report [v2]"
            case .periodicAdvertisingSyncTransferReceivedV2: "LE Periodic Advertising Sync Transfer Received [v2]"
            case .periodicAdvertisingSubeventDataRequest: "LE Periodic Advertising Subevent Data Request"
            case .periodicAdvertisingResponseReport: "LE Periodic Advertising Response Report"
            case .enhancedConnectionCompleteV2: "LE Enhanced Connection Complete [v2]"
            default: "LE event 0x" + hexadecimal(rawValue, digits: 2)
            }
        }
    }
}
