import BLELink
import BLEWire

/// The answers to commands.
extension HostStack {
    /// Routes an answer to the owner of its command.
    mutating func answered(
        _ match: CommandQueue<CommandPurpose>.Match, _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, at now: Instant
    ) {
        switch match {
        case .creditsOnly: break
        case .unexpected: output.events.report(.unexpectedAnswer(opcode))
        case .command(let entry):
            if entry.purpose == .startUp {
                let action = lifecycle.advance(entry.opcode) { $0.answered(parameters) }
                if let action { perform(action, at: now) }
                return
            }
            let status = parameters.isEmpty ? HCI.ErrorCode.unspecifiedError : HCI.ErrorCode(rawValue: parameters[0])
            if status == .unknownHCICommand, lifecycle.lacks(entry.opcode) {
                return fail(.commandFailed(entry.opcode, status), at: now)
            }
            ended(entry, status, parameters, at: now)
        }
    }

    private mutating func ended(
        _ entry: CommandQueue<CommandPurpose>.Entry, _ status: HCI.ErrorCode, _ parameters: Span<UInt8>, at now: Instant
    ) {
        switch entry.purpose {
        case .startUp: break
        case .scanner: access.scannerCompleted(status, &output)
        case .advertiser(let set): access.advertiserCompleted(set, status, &output)
        case .initiator(let action):
            if case .create(let target?) = action, status == .connectionAlreadyExists, lifecycle.isRunning,
                !connections.contains(target), recoverUnknownLink(at: now)
            {
                return
            }
            access.initiatorCompleted(action, status, at: now, &output)
        case .train(let set): access.trainCompleted(set, status, &output)
        case .subeventData(let set): subeventDataCompleted(set, status)
        case .syncs: access.syncsCompleted(status, at: now, &output)
        case .subevents(let train): subeventsChosen(train, status)
        case .response(let train): responseCompleted(train, status)
        case .link(let link, let command):
            if let connection = connections[link] {
                completed(command, opcode: entry.opcode, status, parameters, on: connection, at: now)
            }
        case .privacy: access.privacy.completed(entry.opcode, status, &output)
        case .staleLink: connections.unknownLinkEnded()
        case .powerOff:
            lifecycle.phase = .off
            lifecycle.setState(.off, &output)
        }
    }

    /// Takes the answer to a command about a link.
    private mutating func completed(
        _ command: LinkCommand, opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ parameters: Span<UInt8>,
        on connection: Connection, at now: Instant
    ) {
        switch command {
        case .disconnect:
            // The link has ended already. Its cause is in its phase.
            if status == .unknownConnectionIdentifier { remove(connection, .controller(status), at: now) }
        case .readRSSI(let id): connection.rssiRead(id, status, parameters, at: now, &output)
        case .readRemoteFeatures:
            // After success LE Read Remote Features Complete follows.
            if status != .success { connection.featuresUnavailable(&output) }
        case .readPHY: connection.phyRead(status, parameters, &output)
        case .setDataLength, .setPHY: connection.setUpCompleted(opcode, status, &output)
        case .connectionUpdate(let isOurs): if status != .success, isOurs { connection.updateFailed(&output) }
        case .enableEncryption:
            // After success Encryption Change or Encryption Key Refresh Complete follows.
            if status != .success {
                security.encryptionFailed(status, on: connection, at: now, &output)
                settleSecurity()
            }
        case .readTransmitPower: connection.transmitPowerRead(status, parameters, &output)
        case .radio: if status != .success { connection.radioRefused(opcode, status, &output) }
        case .parameterReply, .longTermKeyReply: break
        }
    }

    /// Handles a command that the controller did not answer in time.
    mutating func expired(_ entry: CommandQueue<CommandPurpose>.Entry, at now: Instant) {
        switch entry.purpose {
        case .startUp:
            if let action = lifecycle.advance(entry.opcode, { $0.timedOut() }) { perform(action, at: now) }
        case let purpose where purpose.isOptional:
            lifecycle.capabilities.commands.remove(entry.opcode)
            output.events.append(.controllerError(entry.opcode, .unknownHCICommand))
            ended(entry, .unknownHCICommand, Span(), at: now)
        default:
            _ = lifecycle.lacks(entry.opcode)
            fail(.noAnswer(entry.opcode), at: now)
        }
    }
}
