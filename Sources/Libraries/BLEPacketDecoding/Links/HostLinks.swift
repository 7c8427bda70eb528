import BLEWire

/// The links of hosts by their handles. A controller uses a handle again, so each link has a number of its own.
struct HostLinks: Sendable {
    /// The most open links. Beyond it, all are forgotten.
    static let limit = 1024

    struct Link: Sendable {
        let number: UInt32
        /// The role of the host.
        let local: LinkSide
        let isRoleKnown: Bool
    }

    private var links: [UInt32: Link] = [:]
    private var next: UInt32 = 1

    var count: Int { links.count }

    private static func key(_ controller: UInt16, _ handle: UInt16) -> UInt32 {
        UInt32(controller) << 16 | UInt32(handle)
    }

    mutating func begin(_ controller: UInt16, _ handle: UInt16, local: LinkSide?) -> Link {
        if links.count >= Self.limit { links.removeAll() }
        let link = Link(number: next, local: local ?? .central, isRoleKnown: local != nil)
        next &+= 1
        links[Self.key(controller, handle)] = link
        return link
    }

    mutating func end(_ controller: UInt16, _ handle: UInt16) { links[Self.key(controller, handle)] = nil }

    /// The open link with a handle.
    subscript(controller: UInt16, handle: UInt16) -> Link? { links[Self.key(controller, handle)] }
}

extension HCI.ACLHeader {
    /// Whether a fragment can belong to an LE link whose start is not in the capture. Links of BR/EDR have other channels.
    func isOfOlderLink(_ payload: ArraySlice<UInt8>) -> Bool {
        guard boundary.isFirst, payload.count >= L2CAP.headerCount else { return false }
        let place = payload.startIndex + 2
        switch L2CAP.ChannelIdentifier(rawValue: UInt16(payload[place]) | UInt16(payload[place + 1]) << 8) {
        case .attribute, .signalling, .securityManager: return true
        default: return false
        }
    }

    /// Whether the host sent a fragment, in a file that does not say it: a controller marks first fragments as flushable, and an LE host does not.
    /// Another fragment is the host's if a frame of the host is incomplete.
    func isFromHost(isFrameIncomplete: Bool) -> Bool {
        switch boundary {
        case .firstNonFlushable: true
        case .firstFlushable: false
        default: isFrameIncomplete
        }
    }
}
