import BLEWire

/// A controller without radio for tests of the host: answers commands at once, as its settings say, and hands data to the other
/// end of a link through the bench.
final class FakeController {
    struct Command: Equatable {
        var opcode: HCI.Opcode
        var parameters: [UInt8]
    }

    struct Link {
        var handle: UInt16
        var peer: FakeController
        var peerHandle: UInt16
        var isEncrypted = false
    }

    /// An encryption procedure of a central.
    struct Encryption {
        let handle: UInt16
        let command: HCI.LEEnableEncryption
    }

    // Settings
    var publicAddress: UInt64 = 0
    var supported = HCI.SupportedCommands([
        .disconnect, .setEventMask, .reset, .readLocalVersionInformation, .readLocalSupportedFeatures, .readBDADDR,
        .readRSSI, .leSetEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress,
        .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
        .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel,
        .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
        .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate, .leReadSupportedStates, .leSetDataLength,
        .leReadRemoteFeatures, .leSetPHY, .leSetDefaultPHY, .leReadMaximumDataLength,
        .leWriteSuggestedDefaultDataLength, .leEnableEncryption, .leLongTermKeyRequestReply,
        .leLongTermKeyRequestNegativeReply,
    ])
    var features: HCI.LEFeatures = []
    var bufferLength: UInt16 = 27
    var bufferCount: UInt8 = 8
    var sharedBuffers: (length: UInt16, count: UInt16) = (0, 0)
    var acceptListSize: UInt8 = 2
    /// Commands that get no answer at all, not even a credit.
    var silent: Set<HCI.Opcode> = []
    var refusals: [HCI.Opcode: HCI.ErrorCode] = [:]
    /// Those of which the next one alone gets an error.
    var nextRefusals: [HCI.Opcode: HCI.ErrorCode] = [:]
    /// Refuses to initiate while it scans.
    var cannotScanAndInitiate = false
    /// Keeps data and completions back.
    var isStalled = false
    /// How many commands it says it takes, in every answer.
    var credits: UInt8 = 1
    /// Octets after the return parameters of each command.
    var appendedOctets: [UInt8] = []
    /// Drops data packets for which this returns false.
    var passesData: ([UInt8]) -> Bool = { _ in true }
    /// Keeps LE Enable Encryption without effect.
    var holdsEncryption = false
    /// The encryption procedures that this controller started.
    private(set) var encryptions: [Encryption] = []
    var sets = FakeAdvertisingSets()
    var syncs = FakeSyncs()
    /// Sends LE Advertising Set Terminated.
    var tellsTermination = true
    /// The PHYs of links that begin (LE Read PHY).
    var linkPHY = HCI.PHY.le1M
    /// How connection updates end; nil: without an event.
    var connectionUpdate: HCI.ErrorCode? = .success
    /// Links that are to end stay until `releaseDisconnections`.
    var holdsDisconnections = false
    private var ending: [Link] = []

    // State
    private(set) var log: [Command] = []
    private(set) var output: [[UInt8]] = []
    var address = DeviceAddress(kind: .public, value: 0)
    private(set) var isScanning = false
    private(set) var isAdvertising = false
    private(set) var isInitiating = false
    private(set) var acceptList: [DeviceAddress] = []
    /// Whom it initiates to; nil: the accept list.
    private var target: DeviceAddress?
    private(set) var links: [Link] = []
    private var kind: CommandKind?
    private(set) var advertisingData: [UInt8] = []
    private var stalled: [(UInt16, [UInt8])] = []
    var nextHandle: UInt16

    init(firstHandle: UInt16 = 0x40) { nextHandle = firstHandle }

    func takeOutput() -> [[UInt8]] {
        defer { output = [] }
        return output
    }

    func opcodes(since index: Int = 0) -> [HCI.Opcode] { log[index...].map(\.opcode) }

    func clearLog() { log = [] }

    func emit(_ packet: [UInt8]) { output.append(packet) }

    func emit<E: HCIEvent>(_ event: E) {
        var packet: [UInt8] = []
        try? packet.append(event: event)
        emit(packet)
    }

    func emit<E: HCILEEvent>(le event: E) {
        var packet: [UInt8] = []
        try? packet.append(leEvent: event)
        emit(packet)
    }

    /// Takes one H4 packet of the host.
    func receive(_ packet: [UInt8]) {
        switch packet[0] {
        case 1: command(HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8), Array(packet[4...]))
        case 2:
            let handle = (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0xFFF
            if isStalled { stalled.append((handle, packet)) } else { forward(handle, packet) }
        default: break
        }
    }

    func release() {
        isStalled = false
        for (handle, packet) in stalled { forward(handle, packet) }
        stalled = []
    }

    var stalledCount: Int { stalled.count }

    private func forward(_ handle: UInt16, _ packet: [UInt8]) {
        guard passesData(packet), let link = links.first(where: { $0.handle == handle }) else { return }
        var copy = packet
        let isContinuation = packet[2] >> 4 & 3 == 1
        let field = link.peerHandle | (isContinuation ? 0x1000 : 0x2000)
        copy[1] = UInt8(truncatingIfNeeded: field)
        copy[2] = UInt8(truncatingIfNeeded: field >> 8)
        link.peer.emit(copy)
        var event: [UInt8] = []
        try? event.append(completedPackets: HCI.CompletedPackets(connectionHandle: handle, count: 1))
        emit(event)
    }

    private func complete<P: PDU>(_ opcode: HCI.Opcode, _ parameters: P) {
        var packet: [UInt8] = []
        var body: [UInt8] = []
        try? body.append(encoding: parameters)
        body += appendedOctets
        try? packet.append(
            event: HCI.CommandComplete(numberOfCommandPackets: credits, opcode: opcode, returnParameters: body.span))
        emit(packet)
    }

    private func status(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode = .success) {
        emit(HCI.CommandStatus(status: status, numberOfCommandPackets: credits, opcode: opcode))
    }

    private func command(_ opcode: HCI.Opcode, _ parameters: [UInt8]) {
        log.append(Command(opcode: opcode, parameters: parameters))
        if silent.contains(opcode) { return }
        let isStatus: Set<HCI.Opcode> = [
            .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
            .leSetPHY,
            .leEnableEncryption, .lePeriodicAdvertisingCreateSync,
        ]
        let own = CommandKind(opcode)
        kind = opcode == .reset ? nil : kind ?? own
        if let refusal = own != nil && own != kind
            ? .commandDisallowed : refusals[opcode] ?? nextRefusals.removeValue(forKey: opcode)
        {
            if isStatus.contains(opcode) {
                status(opcode, refusal)
            } else {
                complete(opcode, HCI.StatusReturn(status: refusal))
            }
            return
        }
        if isStatus.contains(opcode) {
            linkCommand(opcode, parameters)
        } else {
            controllerCommand(opcode, parameters)
        }
    }

    private func controllerCommand(_ opcode: HCI.Opcode, _ parameters: [UInt8]) {
        if let status = sets.status(opcode, parameters.span) {
            isAdvertising = sets.connectable != nil
            return complete(opcode, HCI.StatusReturn(status: status))
        }
        if let status = syncs.status(opcode, parameters.span) {
            return complete(opcode, HCI.StatusReturn(status: status))
        }
        switch opcode {
        case .lePeriodicAdvertisingCreateSyncCancel:
            let isSearching = syncs.pending != nil
            complete(opcode, HCI.StatusReturn(status: isSearching ? .success : .commandDisallowed))
            if isSearching {
                establish(DeviceAddress(kind: .public, value: 0), sid: 0, .operationCancelledByHost)
            }
        case .leReadPeriodicAdvertiserListSize:
            complete(
                opcode, HCI.LEReadPeriodicAdvertiserListSize.ReturnParameters(status: .success, size: syncs.listSize))
        case .lePeriodicAdvertisingSyncTransfer, .lePeriodicAdvertisingSetInfoTransfer,
            .leSetPeriodicAdvertisingSyncTransferParameters:
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            let status: HCI.ErrorCode =
                links.contains { $0.handle == handle } ? .success : .unknownConnectionIdentifier
            complete(opcode, HCI.ConnectionReturn(status: status, connectionHandle: handle))
        case .reset:
            syncs.removeAll()
            sets.removeAll()
            isScanning = false
            isAdvertising = false
            isInitiating = false
            acceptList = []
            complete(opcode, HCI.StatusReturn(status: .success))
        case .readLocalVersionInformation:
            complete(
                opcode,
                HCI.ReadLocalVersionInformation.ReturnParameters(
                    status: .success, hciVersion: .v5_0, hciSubversion: 0, lmpVersion: .v5_0, companyIdentifier: 0xFFFF,
                    lmpSubversion: 0))
        case .readLocalSupportedCommands:
            complete(
                opcode,
                HCI.ReadLocalSupportedCommands.ReturnParameters(status: .success, supportedCommands: supported))
        case .readLocalSupportedFeatures:
            complete(
                opcode,
                HCI.ReadLocalSupportedFeatures.ReturnParameters(
                    status: .success, features: [.brEDRNotSupported, .leSupportedController]))
        case .leReadLocalSupportedFeatures:
            complete(
                opcode, HCI.LEReadLocalSupportedFeatures.ReturnParameters(status: .success, features: features))
        case .leReadBufferSize:
            complete(
                opcode,
                HCI.LEReadBufferSize.ReturnParameters(
                    status: .success, leACLDataPacketLength: bufferLength, totalLEACLDataPackets: bufferCount))
        case .readBufferSize:
            complete(
                opcode,
                HCI.ReadBufferSize.ReturnParameters(
                    status: .success, aclDataPacketLength: sharedBuffers.length, synchronousDataPacketLength: 0,
                    totalACLDataPackets: sharedBuffers.count, totalSynchronousDataPackets: 0))
        case .leReadSupportedStates:
            complete(opcode, HCI.LEReadSupportedStates.ReturnParameters(status: .success, states: 0x3FF_FFFF_FFFF))
        case .leReadFilterAcceptListSize:
            complete(
                opcode, HCI.LEReadFilterAcceptListSize.ReturnParameters(status: .success, size: acceptListSize))
        case .readBDADDR:
            address = DeviceAddress(kind: .public, value: publicAddress)
            complete(opcode, HCI.ReadBDADDR.ReturnParameters(status: .success, address: address))
        case .leSetRandomAddress:
            if let new = try? HCI.LESetRandomAddress(decoding: parameters.span) { address = new.address }
            complete(opcode, HCI.StatusReturn(status: .success))
        case .leReadMaximumDataLength:
            complete(
                opcode,
                HCI.LEReadMaximumDataLength.ReturnParameters(
                    status: .success, maximumTxOctets: 251, maximumTxTime: 2_120, maximumRxOctets: 251,
                    maximumRxTime: 2_120))
        case .leAddDeviceToFilterAcceptList:
            let full = acceptList.count >= Int(acceptListSize)
            if !full, let added = try? HCI.LEAddDeviceToFilterAcceptList(decoding: parameters.span) {
                acceptList.append(added.address)
            }
            complete(
                opcode,
                HCI.StatusReturn(
                    status: isInitiating ? .commandDisallowed : full ? .memoryCapacityExceeded : .success))
        case .leRemoveDeviceFromFilterAcceptList:
            if let removed = try? HCI.LERemoveDeviceFromFilterAcceptList(decoding: parameters.span) {
                acceptList.removeAll { $0 == removed.address }
            }
            complete(opcode, HCI.StatusReturn(status: isInitiating ? .commandDisallowed : .success))
        case .leReadMaximumAdvertisingDataLength:
            complete(
                opcode,
                HCI.LEReadMaximumAdvertisingDataLength.ReturnParameters(
                    status: .success, maximumLength: sets.maximumData))
        case .leReadNumberOfSupportedAdvertisingSets:
            complete(
                opcode,
                HCI.LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(status: .success, count: sets.capacity))
        case .leReadResolvingListSize:
            complete(opcode, HCI.LEReadResolvingListSize.ReturnParameters(status: .success, size: 4))
        case .leSetExtendedScanParameters:
            complete(opcode, HCI.StatusReturn(status: isScanning ? .commandDisallowed : .success))
        case .leReadPHY:
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            complete(
                opcode,
                HCI.LEReadPHY.ReturnParameters(
                    status: .success, connectionHandle: handle, txPHY: linkPHY, rxPHY: linkPHY))
        case .leSetScanEnable, .leSetExtendedScanEnable:
            isScanning = parameters[0] == 1
            complete(opcode, HCI.StatusReturn(status: .success))
        case .leSetScanParameters:
            complete(opcode, HCI.StatusReturn(status: isScanning ? .commandDisallowed : .success))
        case .leSetAdvertisingParameters:
            complete(opcode, HCI.StatusReturn(status: isAdvertising ? .commandDisallowed : .success))
        case .leSetAdvertisingData:
            advertisingData = Array(parameters[1..<1 + Int(parameters[0])])
            complete(opcode, HCI.StatusReturn(status: .success))
        case .leSetAdvertisingEnable:
            isAdvertising = parameters[0] == 1
            complete(opcode, HCI.StatusReturn(status: .success))
        case .leCreateConnectionCancel:
            complete(opcode, HCI.StatusReturn(status: isInitiating ? .success : .commandDisallowed))
            if isInitiating {
                isInitiating = false
                emit(
                    le: HCI.LEConnectionComplete(
                        status: .unknownConnectionIdentifier, connectionHandle: 0, role: .central,
                        peerAddress: DeviceAddress(kind: .public, value: 0), interval: 0, latency: 0,
                        supervisionTimeout: 0))
            }
        case .readRSSI:
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            complete(opcode, HCI.ReadRSSI.ReturnParameters(status: .success, connectionHandle: handle, rssi: -42))
        case .leSetDataLength:
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            complete(opcode, HCI.ConnectionReturn(status: .success, connectionHandle: handle))
        case .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply:
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            complete(opcode, HCI.ConnectionReturn(status: .success, connectionHandle: handle))
            keyAnswered(handle, opcode == .leLongTermKeyRequestReply ? Array(parameters[2...]) : nil)
        default: complete(opcode, HCI.StatusReturn(status: .success))
        }
    }

    /// This controller's host answered the request for a key.
    private func keyAnswered(_ handle: UInt16, _ key: [UInt8]?) {
        guard let link = links.first(where: { $0.handle == handle }),
            let encryption = link.peer.encryptions.last(where: { $0.handle == link.peerHandle })
        else { return }
        guard let key else {
            return link.peer.emit(
                HCI.EncryptionChange(
                    status: .pinOrKeyMissing, connectionHandle: link.peerHandle, encryptionEnabled: 0))
        }
        guard (0..<16).allSatisfy({ encryption.command.longTermKey[$0] == key[$0] }) else {
            return lose(
                link, reason: .connectionTerminatedDueToMICFailure, atPeer: .connectionTerminatedDueToMICFailure)
        }
        // The peripheral's controller reports first.
        reportEncryption(handle)
        link.peer.reportEncryption(link.peerHandle)
    }

    private func reportEncryption(_ handle: UInt16) {
        guard let index = links.firstIndex(where: { $0.handle == handle }) else { return }
        if links[index].isEncrypted {
            emit(HCI.EncryptionKeyRefreshComplete(status: .success, connectionHandle: handle))
        } else {
            emit(HCI.EncryptionChange(status: .success, connectionHandle: handle, encryptionEnabled: 1))
        }
        links[index].isEncrypted = true
    }

    private func linkCommand(_ opcode: HCI.Opcode, _ parameters: [UInt8]) {
        if opcode == .lePeriodicAdvertisingCreateSync { return status(opcode, syncs.create(parameters.span)) }
        if opcode == .leCreateConnection {
            guard let create = try? HCI.LECreateConnection(decoding: parameters.span) else { return }
            return initiate(opcode, to: create.filterPolicy == .acceptList ? nil : create.peerAddress)
        }
        if opcode == .leExtendedCreateConnection {
            guard let create = try? HCI.LEExtendedCreateConnection(decoding: parameters.span) else { return }
            return initiate(opcode, to: create.filterPolicy == .acceptList ? nil : create.peerAddress)
        }
        let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
        guard let link = links.first(where: { $0.handle == handle }) else {
            status(opcode, .unknownConnectionIdentifier)
            return
        }
        status(opcode)
        switch opcode {
        case .disconnect:
            if holdsDisconnections { return ending.append(link) }
            let reason = HCI.ErrorCode(rawValue: parameters[2])
            lose(link, reason: .connectionTerminatedByLocalHost, atPeer: reason)
        case .leEnableEncryption:
            guard let command = try? HCI.LEEnableEncryption(decoding: parameters.span), !holdsEncryption else {
                return
            }
            encryptions.append(Encryption(handle: handle, command: command))
            link.peer.emit(
                le: HCI.LELongTermKeyRequest(
                    connectionHandle: link.peerHandle, randomNumber: command.randomNumber,
                    encryptedDiversifier: command.encryptedDiversifier))
        case .leReadRemoteFeatures:
            emit(
                le: HCI.LEReadRemoteFeaturesComplete(
                    status: .success, connectionHandle: handle, features: link.peer.features))
        case .leConnectionUpdate:
            guard let update = try? HCI.LEConnectionUpdate(decoding: parameters.span), let connectionUpdate else {
                return
            }
            guard connectionUpdate == .success else {
                return emit(
                    le: HCI.LEConnectionUpdateComplete(
                        status: connectionUpdate, connectionHandle: handle, interval: 0, latency: 0,
                        supervisionTimeout: 0))
            }
            for (controller, handle) in [(self, handle), (link.peer, link.peerHandle)] {
                controller.emit(
                    le: HCI.LEConnectionUpdateComplete(
                        status: .success, connectionHandle: handle, interval: update.intervalMaximum,
                        latency: update.maximumLatency, supervisionTimeout: update.supervisionTimeout))
            }
        case .leSetPHY:
            for (controller, handle) in [(self, handle), (link.peer, link.peerHandle)] {
                controller.emit(
                    le: HCI.LEPHYUpdateComplete(
                        status: .success, connectionHandle: handle, txPHY: .le2M, rxPHY: .le2M))
            }
        default: break
        }
    }

    private func initiate(_ opcode: HCI.Opcode, to peer: DeviceAddress?) {
        let refused = isInitiating || (cannotScanAndInitiate && isScanning)
        if let peer, links.contains(where: { $0.peer.address == peer }) {
            return status(opcode, .connectionAlreadyExists)
        }
        status(opcode, refused ? .commandDisallowed : .success)
        if !refused {
            isInitiating = true
            target = peer
        }
    }

    func releaseDisconnections() {
        for link in ending {
            lose(link, reason: .connectionTerminatedByLocalHost, atPeer: .remoteUserTerminatedConnection)
        }
        ending = []
        holdsDisconnections = false
    }

    /// Ends a link at both ends.
    func lose(_ link: Link, reason: HCI.ErrorCode, atPeer: HCI.ErrorCode) {
        drop(link.handle, reason: reason)
        link.peer.drop(link.peerHandle, reason: atPeer)
    }

    private func drop(_ handle: UInt16, reason: HCI.ErrorCode) {
        links.removeAll { $0.handle == handle }
        emit(HCI.DisconnectionComplete(status: .success, connectionHandle: handle, reason: reason))
    }

    /// If this controller initiates to `peer` and that advertises: both get their connection.
    func tryConnecting(to peer: FakeController) {
        guard isInitiating, peer.isAdvertising, target.map({ $0 == peer.address }) ?? acceptList.contains(peer.address)
        else { return }
        isInitiating = false
        let set = peer.sets.connectable
        if let set { peer.sets.stop(set) }
        peer.isAdvertising = peer.sets.connectable != nil
        let handle = nextHandle
        let peerHandle = peer.nextHandle
        nextHandle += 1
        peer.nextHandle += 1
        links.append(Link(handle: handle, peer: peer, peerHandle: peerHandle))
        peer.links.append(Link(handle: peerHandle, peer: self, peerHandle: handle))
        emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: handle, role: .central, peerAddress: peer.address, interval: 24,
                latency: 0, supervisionTimeout: 200))
        peer.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: peerHandle, role: .peripheral, peerAddress: address, interval: 24,
                latency: 0, supervisionTimeout: 200))
        if let set, peer.tellsTermination {
            peer.emit(
                le: HCI.LEAdvertisingSetTerminated(
                    status: .success, advertisingHandle: set, connectionHandle: peerHandle, completedEvents: 0))
        }
    }
}
