/// The conversation of a packet, and what the packet says in it.
struct ConversationPosition: Hashable, Sendable {
    var procedure: Procedure
    var conversation: Int?
    var attribute: KnownAttribute?
    var request: PacketSummary.Request?

    init(
        _ procedure: Procedure, _ conversation: Int?, attribute: KnownAttribute? = nil,
        request: PacketSummary.Request? = nil
    ) {
        self.procedure = procedure
        self.conversation = conversation
        self.attribute = attribute
        self.request = request
    }
}
