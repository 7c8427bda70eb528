import BLESecurity
import BLEWire

/// One pairing on a link (Vol 3, Part H, 2.1).
package struct PairingStory: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case running
        case encrypted(Moment)
        case failed(SMP.FailureReason, by: LinkSide, Moment)
        /// The link or the capture ended first, or nothing came for 30 s.
        case unfinished
    }

    /// The time after which a pairing without PDUs has failed (Vol 3, Part H, 3.4), in nanoseconds.
    static let timeout: Int64 = 30_000_000_000

    package let begin: Moment
    /// The last PDU.
    package internal(set) var last: Moment
    /// Whether the peripheral asked for it with a Security Request.
    package let isRequested: Bool
    /// The features of the central and of the peripheral.
    package internal(set) var initiator: SMP.PairingFeatures?
    package internal(set) var responder: SMP.PairingFeatures?
    package internal(set) var outcome = Outcome.running

    init(begin: Moment, isRequested: Bool) {
        self.begin = begin
        last = begin
        self.isRequested = isRequested
    }

    package var usesSecureConnections: Bool? {
        guard let initiator, let responder else { return nil }
        return initiator.requirements.intersection(responder.requirements).contains(.secureConnections)
    }

    /// The method that the features select; nil while they are not known.
    package var model: AssociationModel? {
        guard let initiator, let responder else { return nil }
        return AssociationModel(initiator: initiator, responder: responder)
    }
}
