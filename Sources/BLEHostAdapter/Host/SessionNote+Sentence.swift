import BLEHost
import BLESessions
import BLEWire
import Logging

extension SessionNote {
    var level: Logger.Level {
        switch self {
        case .advertisingRefused, .scanningRefused, .writeCommandDropped, .writeCommandNotSent, .resetting: .warning
        case .failed(_, let isRepeated): isRepeated ? .debug : .error
        case .linkEndedByHost, .commandRefused, .protocolViolation: .debug
        }
    }

    var sentence: String {
        switch self {
        case .advertisingRefused(let error): "The controller refuses to advertise: error \(error.rawValue)."
        case .scanningRefused(let error): "The controller refuses to scan: error \(error.rawValue)."
        case .linkEndedByHost(let reason): "The host ended a link: \(reason)."
        case .writeCommandDropped: "A Write Command was dropped: too many wait already."
        case .writeCommandNotSent(let failure): "A Write Command was not sent: \(failure)."
        case .resetting(let failure): "\(failure.sentence) It is being reset now."
        case .failed(let failure, _): failure.sentence
        case .commandRefused(let opcode, let error):
            "The controller refused command \(opcode.rawValue): error \(error.rawValue)."
        case .protocolViolation(let violation):
            "Dropped or refused, as the specification says: \(violation)."
        }
    }
}

extension HostFailure {
    /// A sentence for the log: the problem and its remedy.
    package var sentence: String {
        switch self {
        case .transportClosed:
            "The connection to the Bluetooth controller is gone: see that the controller, or the program that simulates it, "
                + "runs."
        case .noAnswer(let opcode):
            "The Bluetooth controller does not answer (command 0x\(hexadecimal(opcode.rawValue, digits: 4))): see that it runs and speaks H4 "
                + "(HCI over a byte stream), and restart it."
        case .commandFailed(let opcode, let error):
            "The Bluetooth controller refused command 0x\(hexadecimal(opcode.rawValue, digits: 4)) with error "
                + "0x\(hexadecimal(error.rawValue, digits: 2)): restart it, or choose another."
        case .malformedAnswer(let opcode):
            "The Bluetooth controller's answer to command 0x\(hexadecimal(opcode.rawValue, digits: 4)) makes no sense: restart it, or choose "
                + "another."
        case .hardwareError(let code):
            "The Bluetooth controller reports hardware error 0x\(hexadecimal(code, digits: 2)): if it stays so, unplug it or restart it."
        case .noLowEnergy: "The Bluetooth controller does not do Bluetooth LE: choose another."
        case .noDataBuffers: "The Bluetooth controller has no buffers for data: choose another."
        case .missingEvent: "The Bluetooth controller left out an event that was due: if it stays so, restart it."
        }
    }
}
