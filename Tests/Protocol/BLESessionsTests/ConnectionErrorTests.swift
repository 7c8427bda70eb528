import BLEAdapter
import BLEHost
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
}
