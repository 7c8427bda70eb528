import BLESecurity
import BLEWire

/// The place of a packet in a capture.
package struct Moment: Hashable, Sendable {
    /// The number of the packet in the file, from 1.
    package var frame: Int
    /// In nanoseconds since the first packet that has a time, below 0 if the clock went back. A packet without a time has that of the one before it.
    package var time: Int64

    package init(frame: Int, time: Int64) {
        self.frame = frame
        self.time = time
    }

    /// The time as lists and stories show it: 0 if the clock went back.
    package var shownTime: Int64 { max(0, time) }

    /// The nanoseconds from another moment to this one; 0 if the clock went back.
    func since(_ other: Moment) -> Int64 {
        let (difference, overflow) = time.subtractingReportingOverflow(other.time)
        return overflow || difference < 0 ? 0 : difference
    }
}

/// The parameters of a connection (Vol 6, Part B, 4.5.1 and 4.5.2).
package struct LinkParameters: Hashable, Sendable {
    /// In units of 1.25 ms.
    package var interval: UInt16
    /// In connection events.
    package var latency: UInt16
    /// In units of 10 ms.
    package var timeout: UInt16

    /// The supervision timeout in nanoseconds.
    var timeoutSpan: Int64 { Int64(timeout) * 10_000_000 }
}

/// The parameters that a device requests.
package struct RequestedParameters: Hashable, Sendable {
    /// In units of 1.25 ms.
    package var minimum: UInt16
    package var maximum: UInt16
    package var latency: UInt16
    /// In units of 10 ms.
    package var timeout: UInt16
}

/// The end of a link.
package struct LinkEnding: Hashable, Sendable {
    /// What ended it.
    package enum Cause: Hashable, Sendable {
        /// A device ended it on purpose.
        case side(LinkSide)
        /// A controller gave it up.
        case lost
        /// The host reset its controller.
        case reset
        /// No more packets of it are in the capture, although the capture goes on for longer than its supervision timeout.
        case silence
    }

    package var moment: Moment
    package var cause: Cause
    /// Nil if no packet says it.
    package var reason: HCI.ErrorCode?
}

/// Something that happened on a link.
package struct LinkEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Nil: the link is older than the capture.
        case began(LinkParameters?)
        /// The side that asked for it; nil if no packet says it.
        case updated(LinkParameters, askedBy: LinkSide?)
        case updateRequested(RequestedParameters, by: LinkSide)
        case updateRefused(HCI.ErrorCode?, askedBy: LinkSide?)
        /// The PHYs of the central's and of the peripheral's packets, as HCI numbers them.
        case phy(central: UInt8, peripheral: UInt8)
        /// The largest payloads of the central's and of the peripheral's packets, in octets.
        case dataLength(central: UInt16, peripheral: UInt16)
        case mtu(client: UInt16, server: UInt16)
        /// The version of one side's controller and its company.
        case version(LinkSide, HCI.CoreVersion, company: UInt16)
        case discovery(by: LinkSide)
        /// The handle of the value, the content of its configuration descriptor, and the client.
        case subscription(handle: UInt16, BluetoothUUID?, configuration: UInt16, by: LinkSide)
        case serviceChanged
        case securityRequest
        case pairing
        case pairingMethod(AssociationModel, secureConnections: Bool)
        case pairingFailed(SMP.FailureReason, by: LinkSide)
        case encrypted
        case encryptionFailed(HCI.ErrorCode)
        case keyRefreshed
        case unencrypted
        case channel(psm: UInt16, by: LinkSide)
        case ended(LinkEnding)
    }

    package var kind: Kind
    package var moment: Moment
}

extension LinkEvent.Kind {
    /// A word for programs, such as `data-length`.
    package var identifier: String {
        switch self {
        case .began: "begin"
        case .updated: "parameters"
        case .updateRequested: "parameters-request"
        case .updateRefused: "parameters-refused"
        case .phy: "phy"
        case .dataLength: "data-length"
        case .mtu: "mtu"
        case .version: "version"
        case .discovery: "discovery"
        case .subscription: "subscription"
        case .serviceChanged: "service-changed"
        case .securityRequest: "security-request"
        case .pairing: "pairing"
        case .pairingMethod: "pairing-method"
        case .pairingFailed: "pairing-failed"
        case .encrypted: "encrypted"
        case .encryptionFailed: "encryption-failed"
        case .keyRefreshed: "key-refreshed"
        case .unencrypted: "unencrypted"
        case .channel: "channel"
        case .ended: "end"
        }
    }
}
