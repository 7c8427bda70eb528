import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// A client and a server with enhanced bearers, wired together in memory. The test answers the requests for values itself.
final class BearerPair {
    /// A PDU and its bearer, 0 for the unenhanced one.
    struct Sent: Equatable {
        var bearer: UInt32
        var pdu: [UInt8]
        init(_ bearer: UInt32, _ pdu: [UInt8]) {
            self.bearer = bearer
            self.pdu = pdu
        }
    }

    var client: ATTBearer
    var server = ATTBearer()
    var database = AttributeDatabase(crypto: SwiftCryptoProvider(), hasEnhancedBearers: true)
    private var clientDatabase = AttributeDatabase()
    let handles: [UInt16]
    var security = LinkSecurity.encrypted
    var now = Instant.zero
    var clientEvents: [ATTEvent] = []
    var serverEvents: [ATTEvent] = []
    /// The values of notifications and indications, by bearer of arrival.
    var received: [[UInt8]] = []
    var toServer: [Sent] = []
    var toClient: [Sent] = []
    /// The written items that need a response, with the octets of their values.
    var writes: [(items: [ATTWriteItem], octets: [UInt8])] = []
    /// The requests for values that wait for an answer.
    var asked: [(request: UInt32, handle: UInt16)] = []
    private var clientOutput = ATTOutput()
    private var serverOutput = ATTOutput()

    /// Six values that the program of the server has. The second requires a key against a man in the middle.
    init(bearers: UInt32 = 2, suspendsForSecurity: Bool = false) throws {
        client = ATTBearer(suspendsForSecurity: suspendsForSecurity)
        let definition = ServiceDefinition(
            uuid(0xFEE7), (0..<6).map { CharacteristicDefinition(uuid(0x36F0 + $0), 0x3E, 3) })
        handles = try database.added(definition).characteristics.map(\.valueHandle)
        for number in 1..<(bearers + 1) { open(number) }
    }

    @discardableResult
    func open(_ number: UInt32, mtu: Int = 100) -> Bool {
        let isOpen =
            client.openEnhanced(number, peerMTU: mtu, at: now, output: &clientOutput)
            && server.openEnhanced(number, peerMTU: mtu, at: now, output: &serverOutput)
        pump()
        return isOpen
    }

    func close(_ number: UInt32) {
        client.endEnhanced(number, at: now, output: &clientOutput)
        server.endEnhanced(number, at: now, output: &serverOutput)
        pump()
    }

    /// The PDUs of an output.
    private static func take(_ output: inout ATTOutput) -> [Sent] {
        defer { output = ATTOutput() }
        var start = 0
        let enhanced = output.enhancedPDUs.map { pdu -> Sent in
            defer { start = pdu.end }
            return Sent(pdu.bearer, Array(output.enhancedOctets[start..<pdu.end]))
        }
        return output.pdus.map { Sent(0, Array(output.pduOctets[$0])) } + enhanced
    }

    func pump() {
        var steps = 0
        while !clientOutput.isEmpty || !serverOutput.isEmpty {
            steps += 1
            guard steps < 10_000 else {
                Issue.record("endless")
                return
            }
            note(clientOutput)
            let requests = Self.take(&clientOutput)
            for sent in requests { receiveAtServer(sent) }
            note(serverOutput: serverOutput)
            for sent in Self.take(&serverOutput) { receiveAtClient(sent) }
        }
    }

    private func receiveAtServer(_ sent: Sent) {
        toServer.append(sent)
        if sent.bearer == 0 {
            server.receive(sent.pdu.span, database: &database, security: security, at: now, output: &serverOutput)
        } else {
            server.receive(
                sent.pdu.span, onEnhanced: sent.bearer, database: &database, security: security, at: now,
                output: &serverOutput)
        }
    }

    private func receiveAtClient(_ sent: Sent) {
        toClient.append(sent)
        if sent.bearer == 0 {
            client.receive(sent.pdu.span, database: &clientDatabase, security: .none, at: now, output: &clientOutput)
        } else {
            client.receive(
                sent.pdu.span, onEnhanced: sent.bearer, database: &clientDatabase, security: .none, at: now,
                output: &clientOutput)
        }
    }

    /// Feeds a PDU of the other side.
    func injectAtServer(_ bearer: UInt32, _ pdu: [UInt8]) {
        receiveAtServer(Sent(bearer, pdu))
        pump()
    }

    func injectAtClient(_ bearer: UInt32, _ pdu: [UInt8]) {
        receiveAtClient(Sent(bearer, pdu))
        pump()
    }

    private func note(_ output: ATTOutput) {
        clientEvents += output.events
        for case .value(let value) in output.events { received.append(output.arena.copy(value.octets)) }
    }

    private func note(serverOutput output: ATTOutput) {
        serverEvents += output.events
        for case .readRequest(let request, let handle, _) in output.events { asked.append((request, handle)) }
        for case .writeRequest(let request, let items, true) in output.events {
            asked.append((request, output.arena.writeItems[items].first?.handle ?? 0))
            writes.append((Array(output.arena.writeItems[items]), output.arena.octets))
        }
    }

    func submit(_ operation: GATTOperation, _ id: UInt32) {
        client.submit(operation, id: id, at: now, output: &clientOutput)
        pump()
    }

    /// Answers the oldest request for a value with the octet of its handle.
    func answer(_ handle: UInt16) {
        guard let index = asked.firstIndex(where: { $0.handle == handle }) else {
            Issue.record("no request for \(handle)")
            return
        }
        let request = asked.remove(at: index).request
        let value = [UInt8(truncatingIfNeeded: handle)]
        server.respondToRead(request, value: value.span, at: now, output: &serverOutput)
        server.respondToWrite(request, at: now, output: &serverOutput)
        pump()
    }

    func onClient(_ body: (inout ATTBearer, inout ATTOutput) -> Void) {
        body(&client, &clientOutput)
        pump()
    }

    func onServer(_ body: (inout ATTBearer, inout ATTOutput) -> Void) {
        body(&server, &serverOutput)
        pump()
    }

    func later(_ span: TimeSpan) {
        now += span
        client.handleTimeout(at: now, output: &clientOutput)
        server.handleTimeout(at: now, output: &serverOutput)
        pump()
    }

    /// The ended operations with their results, in order.
    var ended: [UInt32] { clientEvents.compactMap { if case .completed(let id, _) = $0 { id } else { nil } } }

    func result(_ id: UInt32) -> Result<GATTResult, GATTError>? {
        for case .completed(id, let result) in clientEvents { return result }
        return nil
    }

    func value(_ handle: UInt16) -> Result<GATTResult, GATTError> {
        .success(.value([UInt8(truncatingIfNeeded: handle)]))
    }

    var failures: [ATTEvent] {
        (clientEvents + serverEvents).filter {
            switch $0 {
            case .enhancedBearerFailed, .bearerFailed: true
            default: false
            }
        }
    }
}
