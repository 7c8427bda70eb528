import BLEHost
import BLESessions
import BLEVirtualRadio
import BLEWire
import Logging

extension SessionDiagnostic {
    var level: Logger.Level {
        switch self {
        case .advertisingRefused, .scanningRefused, .writeCommandDropped, .writeCommandNotSent, .resetting: .warning
        case .failed(_, let isRepeated): isRepeated ? .debug : .error
        case .linkEndedByHost, .commandRefused, .protocolViolation, .advertisementTruncated: .debug
        }
    }

    var sentence: String {
        switch self {
        case .advertisingRefused(let error): "The controller refuses to advertise: error \(error.rawValue)."
        case .scanningRefused(let error): "The controller refuses to scan: error \(error.rawValue)."
        case .advertisementTruncated(let address):
            "An advertisement of \(address) was not received whole and is not reported, like further ones. Some controllers have no room for long ones."
        case .linkEndedByHost(let reason): "The host ended a link: \(reason)."
        case .writeCommandDropped: "A Write Command was dropped because too many are queued."
        case .writeCommandNotSent(let failure): "A Write Command was not sent: \(failure)."
        case .resetting(let failure): "\(failure.sentence) The host resets it now."
        case .failed(let failure, _): failure.sentence
        case .commandRefused(let opcode, let error):
            "The controller refused command \(opcode.rawValue): error \(error.rawValue)."
        case .protocolViolation(let violation):
            "A packet was dropped or refused, as the specification requires: \(violation)."
        }
    }
}

extension HostError {
    /// A sentence for the log: the problem and its remedy.
    package var sentence: String {
        switch self {
        case .transportClosed:
            "The connection to the Bluetooth controller has ended. Check that the controller, or the program that "
                + "simulates it, is running."
        case .noAnswer(let opcode):
            "The Bluetooth controller does not answer command 0x\(hexadecimal(opcode.rawValue, digits: 4)). Check that it is running and uses H4 "
                + "(HCI over a byte stream), and restart it."
        case .commandFailed(.reset, .connectionRejectedDueToLimitedResources):
            "The radio is full: it serves \(VirtualRadioRuntime.externalHostLimit) hosts. End a program on it, or start another one with bluelab radio --name NAME "
                + "and choose it with BLUETOOTH_CONTROLLER=radio:NAME."
        case .commandFailed(let opcode, let error):
            "The Bluetooth controller refused command 0x\(hexadecimal(opcode.rawValue, digits: 4)) with error "
                + "0x\(hexadecimal(error.rawValue, digits: 2)). Restart it, or choose another one."
        case .malformedAnswer(let opcode):
            "The Bluetooth controller's answer to command 0x\(hexadecimal(opcode.rawValue, digits: 4)) is malformed. Restart it, or choose "
                + "another one."
        case .hardwareError(let code):
            "The Bluetooth controller reports hardware error 0x\(hexadecimal(code, digits: 2)). If the error persists, unplug it or restart it."
        case .noLowEnergy: "The Bluetooth controller does not support Bluetooth LE. Choose another one."
        case .noDataBuffers: "The Bluetooth controller has no buffers for data. Choose another one."
        case .missingEvent:
            "The Bluetooth controller did not send an expected event. If the error persists, restart it."
        }
    }
}
