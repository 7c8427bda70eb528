extension SMP {
    /// The input and output capabilities of a device (Vol 3, Part H, 3.5.1, table 3.4).
    package struct IOCapability: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let displayOnly = IOCapability(rawValue: 0x00)
        package static let displayYesNo = IOCapability(rawValue: 0x01)
        package static let keyboardOnly = IOCapability(rawValue: 0x02)
        package static let noInputNoOutput = IOCapability(rawValue: 0x03)
        package static let keyboardDisplay = IOCapability(rawValue: 0x04)

        /// False for values that are reserved for future use.
        package var isDefined: Bool { rawValue <= 0x04 }
    }

    /// AuthReq: the requirements of a device on a pairing (3.5.1, figure 3.3).
    package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bonding_Flags 0b01; 0b10 and 0b11 are reserved for future use.
        package static let bonding = AuthenticationRequirements(rawValue: 0x01)
        package static let manInTheMiddle = AuthenticationRequirements(rawValue: 0x04)
        package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
        package static let keypress = AuthenticationRequirements(rawValue: 0x10)
        /// The device supports h7 (2.4.2.4).
        package static let crossTransport = AuthenticationRequirements(rawValue: 0x20)

        /// Whether Bonding_Flags is 0b01.
        package var requestsBonding: Bool { rawValue & 0x03 == 0x01 }
    }

    /// The keys that a device distributes or generates (3.6.1, figure 3.11).
    package struct KeyDistribution: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// LTK, EDIV and Rand; ignored with Secure Connections.
        package static let encryption = KeyDistribution(rawValue: 0x01)
        /// IRK and identity address.
        package static let identity = KeyDistribution(rawValue: 0x02)
        /// CSRK.
        package static let signing = KeyDistribution(rawValue: 0x04)
        /// The BR/EDR link key, derived from the LTK; ignored with legacy pairing.
        package static let linkKey = KeyDistribution(rawValue: 0x08)

        package static let all = KeyDistribution(rawValue: 0x0F)
        /// What this host distributes and requests. A number, as `all`, because each link begins with it, and the union of the keys would be generic code.
        package static let encryptionAndIdentity = KeyDistribution(rawValue: 0x03)
    }

    /// The common fields of Pairing Request and Pairing Response (3.5.1, 3.5.2).
    package struct PairingFeatures: FieldPDU, Hashable {
        package var ioCapability: IOCapability
        /// The sender has out-of-band authentication data of the receiver.
        package var hasOutOfBandData: Bool
        package var requirements: AuthenticationRequirements
        /// In octets, 7 to 16 unless the peer violates the specification.
        package var maximumKeySize: UInt8
        package var initiatorKeys: KeyDistribution
        package var responderKeys: KeyDistribution

        /// The six octets as a number; the IO capability is the lowest octet.
        package var number: UInt128 {
            UInt128(responderKeys.rawValue) << 40 | UInt128(initiatorKeys.rawValue) << 32
                | UInt128(maximumKeySize) << 24 | UInt128(authenticationNumber)
        }

        /// AuthReq, OOB data flag and IO capability in the format of f6. AuthReq is the most significant octet (2.2.8).
        package var authenticationNumber: UInt32 {
            UInt32(requirements.rawValue) << 16 | UInt32(hasOutOfBandData ? 1 : 0) << 8 | UInt32(ioCapability.rawValue)
        }
    }

    /// Starts pairing. The initiator sends it (3.5.1).
    package struct PairingRequest: SMPFeaturesPDU {
        package static let code = Code.pairingRequest
        package let features: PairingFeatures
        package init(features: PairingFeatures) { self.features = features }
    }

    /// The responder's features (3.5.2).
    package struct PairingResponse: SMPFeaturesPDU {
        package static let code = Code.pairingResponse
        package let features: PairingFeatures
        package init(features: PairingFeatures) { self.features = features }
    }

    /// A peripheral's request for security (3.6.7).
    package struct SecurityRequest: SMPPDU, FieldPDU {
        package static let code = Code.securityRequest
        package let requirements: AuthenticationRequirements
    }
}
