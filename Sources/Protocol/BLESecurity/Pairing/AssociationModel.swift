import BLEWire

/// The method by which the two devices of a pairing authenticate each other (Vol 3, Part H, 2.3.5.1).
package enum AssociationModel: Hashable, Sendable, CaseIterable {
    case justWorks
    case numericComparison
    /// The initiator displays the passkey. The responder's user enters it.
    case passkeyOnInitiator
    /// The responder displays the passkey. The initiator's user enters it.
    case passkeyOnResponder
    /// The user enters one passkey on both devices.
    case passkeyEnteredTwice
    case outOfBand

    /// Whether the keys are protected against a man in the middle.
    package var isAuthenticated: Bool { self != .justWorks }

    package var usesPasskey: Bool {
        switch self {
        case .passkeyOnInitiator, .passkeyOnResponder, .passkeyEnteredTwice: true
        case .justWorks, .numericComparison, .outOfBand: false
        }
    }

    /// Whether the device with this role displays the passkey.
    func displays(_ role: PairingRole) -> Bool {
        self == (role == .initiator ? .passkeyOnInitiator : .passkeyOnResponder)
    }

    /// Selects the model for two devices (Vol 3, Part H, 2.3.5.1, tables 2.6 to 2.8).
    package init(initiator: SMP.PairingFeatures, responder: SMP.PairingFeatures) {
        let both = initiator.requirements.intersection(responder.requirements)
        let secure = both.contains(.secureConnections)
        let flags = (initiator.hasOutOfBandData, responder.hasOutOfBandData)
        if secure ? flags.0 || flags.1 : flags.0 && flags.1 {
            self = .outOfBand
        } else if initiator.requirements.union(responder.requirements).contains(.manInTheMiddle) {
            self.init(
                initiator: initiator.ioCapability, responder: responder.ioCapability, secureConnections: secure)
        } else {
            self = .justWorks
        }
    }

    /// Selects the model by IO capabilities (table 2.8).
    package init(initiator: SMP.IOCapability, responder: SMP.IOCapability, secureConnections: Bool) {
        if secureConnections, initiator.confirms, responder.confirms {
            self = .numericComparison
        } else if initiator.displays, responder.enters {
            self = .passkeyOnInitiator
        } else if initiator.enters, responder.displays {
            self = .passkeyOnResponder
        } else if initiator.enters, responder.enters {
            self = .passkeyEnteredTwice
        } else {
            self = .justWorks
        }
    }
}

extension SMP.IOCapability {
    fileprivate var displays: Bool { self == .displayOnly || self == .displayYesNo || self == .keyboardDisplay }
    fileprivate var enters: Bool { self == .keyboardOnly || self == .keyboardDisplay }
    fileprivate var confirms: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// The role of a device in a pairing: the central initiates, the peripheral responds.
package enum PairingRole: Hashable, Sendable, CaseIterable {
    case initiator
    case responder
}
