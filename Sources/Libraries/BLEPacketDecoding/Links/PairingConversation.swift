import BLEWire

/// The current or last pairing of one link (Vol 3, Part H, 2.1).
struct PairingConversation: Sendable {
    private var current: Int?
    private var hasRequest = false

    /// Takes a PDU of the Security Manager by its code.
    mutating func add(_ code: SMP.Code, _ conversations: inout ConversationCounter) -> ConversationPosition {
        // A Security Request leads to a Pairing Request.
        if code == .securityRequest || code == .pairingRequest && hasRequest { current = nil }
        if code == .securityRequest { hasRequest = false }
        let conversation = current ?? conversations.begin()
        current = conversation
        if code == .pairingRequest { hasRequest = true }
        if code == .pairingFailed { (current, hasRequest) = (nil, false) }
        return ConversationPosition(.pairing, conversation)
    }
}
