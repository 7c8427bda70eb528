import BLEAdapter
import BLEHost
import BLELink
import BLEWire
import Testing

@testable import BLESessions

struct ConnectionErrorTests {
    @Test(arguments: UInt8.min...UInt8.max) func noErrorCodeOfAControllerIsACancellation(_ code: UInt8) {
        let error = HCI.ErrorCode(rawValue: code)
        let failure = DisconnectionCause.controller(error).failure
        switch code {
        case 0x08: #expect(failure == .supervisionTimeout)
        case 0x13, 0x14, 0x15: #expect(failure == .endedByPeer)
        case 0x3E: #expect(failure == .establishmentFailed)
        case 0x05, 0x06: #expect(failure == .peerRemovedPairingInformation)
        case 0x3D: #expect(failure == .encryptionFailed)
        default: #expect(failure == .controller(code))
        }
        switch code {
        case 0x07, 0x09: #expect(error.attemptFailure == .limitReached)
        case 0x08, 0x3E: #expect(error.attemptFailure == .establishmentFailed)
        default: #expect(error.attemptFailure == failure)
        }
    }

    @Test(arguments: [
        (DisconnectionCause.requested, ConnectionError.endedByHost), (.host(.attributeTimeout), .attributeTimeout),
        (.host(.attributeViolation), .protocolViolation), (.host(.stalledController), .supervisionTimeout),
        (.host(.replaced), .supervisionTimeout), (.host(.powerOff), .adapterLost),
        (.host(.controllerLost), .adapterLost), (.host(.keyMissing), .peerRemovedPairingInformation),
        (.host(.encryptionTimeout), .encryptionTimedOut), (.host(.encryptionFailed), .encryptionFailed),
        (.host(.encryptionEnded), .encryptionFailed), (.host(.authenticatedPayloadTimeout), .supervisionTimeout),
    ])
    func aLinkThatTheHostEndsFailsForSessionsThatDidNotCancel(_ cause: DisconnectionCause, _ failure: ConnectionError) {
        #expect(cause.failure == failure)
    }

    @Test(arguments: UInt8.min...UInt8.max) func eachErrorOfATrainHasItsFailure(_ code: UInt8) {
        let named: [UInt8: PeriodicFailure] = [
            0x01: .unsupported, 0x02: .notConnected, 0x07: .limit, 0x11: .unsupported, 0x1A: .unsupportedByPeer,
            0x3E: .notReceived, 0x42: .noTrain, 0x45: .dataTooLong, 0x46: .tooLate,
        ]
        #expect(PeriodicFailure(HCI.ErrorCode(rawValue: code)) == named[code] ?? .controller(code))
    }

    /// The results of LE Credit Based Connection Response (Vol 3, Part A, 4.23), and the ends without one.
    @Test func eachRefusalOfAChannelHasItsError() {
        let named: [UInt16: ChannelError] = [
            2: .unknownPSM, 4: .noResources, 5: .insufficientAuthentication, 6: .insufficientAuthorization,
            7: .insufficientKeySize, 8: .insufficientEncryption,
        ]
        for value in 1...20 as ClosedRange<UInt16> {
            let result = L2CAP.CreditBasedConnectionResponse.Result(rawValue: value)
            #expect(CreditBasedConnectionError.result(result).failure == named[value] ?? .refused)
        }
        for (error, failure) in [
            (.invalidSPSM, .unknownPSM), (.noChannelLeft, .noResources), (.noAnswer, .noAnswer),
            (.linkLost, .notConnected), (.cancelled, .notConnected), (.notUnderstood, .refused),
            (.invalidResponse, .refused),
        ] as [(CreditBasedConnectionError, ChannelError)] { #expect(error.failure == failure) }
    }
}
