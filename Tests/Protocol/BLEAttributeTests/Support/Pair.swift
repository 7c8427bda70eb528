import BLEAttribute
import BLEWire
import Testing

/// A client's and a server's bearer wired together in memory, in virtual time, with a small server program behind it.
final class Pair {
    struct Write: Equatable {
        var handle: UInt16
        var offset: Int
        var value: [UInt8]
    }
    struct Value: Equatable {
        var handle: UInt16
        var value: [UInt8]
        var isIndication: Bool
    }

    var client: ATTBearer
    var server: ATTBearer
    var database: AttributeDatabase
    /// The security of the link.
    var serverSecurity = LinkSecurity.none
    /// The client's own, which its peer does not use here.
    var clientDatabase = AttributeDatabase()
    var now = Instant.zero
    private var clientOutput = ATTOutput()
    private var serverOutput = ATTOutput()

    /// The dynamic values by handle. Reads are answered from here, and writes change it, unless `answers` is false.
    var values: [UInt16: [UInt8]] = [:]
    var refusals: [UInt16: ATT.ErrorCode] = [:]
    /// Reads of this handle from this offset on are refused.
    var refusesAfter: (handle: UInt16, offset: Int, error: ATT.ErrorCode)?
    var answers = true
    /// Refuses a PDU of the client in the server's place.
    var refuses: (([UInt8]) -> ATT.ErrorCode?)?

    /// What happened, in order.
    var clientEvents: [ATTEvent] = []
    var serverEvents: [ATTEvent] = []
    var received: [Value] = []
    /// The subscribers of each value in `received`.
    var receivers: [[Int]] = []
    var writes: [[Write]] = []
    var reads: [Int] = []
    /// The PDUs that went over.
    var toServer: [[UInt8]] = []
    var toClient: [[UInt8]] = []
    /// Whether the client confirms indications at once.
    var confirms = true
    private var nextID: UInt32 = 0

    init(
        _ database: AttributeDatabase = AttributeDatabase(), clientMTU: UInt16 = 23, serverMTU: UInt16 = 498,
        suspendsForSecurity: Bool = false
    ) {
        client = ATTBearer(localMTU: clientMTU, suspendsForSecurity: suspendsForSecurity)
        server = ATTBearer(localMTU: serverMTU)
        self.database = database
    }

    /// Lets PDUs go to and fro until nothing moves.
    func pump(limit: Int = 20_000) {
        var steps = 0
        while !clientOutput.isEmpty || !serverOutput.isEmpty {
            steps += 1
            guard steps < limit else {
                Issue.record("endless")
                return
            }
            let fromClient = clientOutput
            clientOutput = ATTOutput()
            note(fromClient)
            for range in fromClient.pdus {
                let pdu = Array(fromClient.pduOctets[range])
                toServer.append(pdu)
                if let code = refuses?(pdu) {
                    let refusal = [0x01, pdu[0], 0, 0, code.rawValue]
                    client.receive(
                        refusal.span, database: &clientDatabase, security: .none, at: now, output: &clientOutput)
                } else {
                    server.receive(
                        pdu.span, database: &database, security: serverSecurity, at: now, output: &serverOutput)
                }
            }
            let fromServer = serverOutput
            serverOutput = ATTOutput()
            serve(fromServer)
            for range in fromServer.pdus {
                toClient.append(Array(fromServer.pduOctets[range]))
                client.receive(
                    fromServer.pduOctets.span.extracting(range), database: &clientDatabase, security: .none, at: now,
                    output: &clientOutput)
            }
        }
    }

    private func note(_ output: ATTOutput) {
        for event in output.events {
            clientEvents.append(event)
            if case .value(let value) = event {
                receivers.append(Array(output.arena.subscribers[value.subscribers]))
                received.append(
                    Value(
                        handle: value.handle, value: output.arena.copy(value.octets), isIndication: value.isIndication))
                if value.isIndication, confirms { client.confirmIndication(output: &clientOutput) }
            }
            if case .servicesChanged = event, confirms { client.confirmIndication(output: &clientOutput) }
        }
    }

    private func serve(_ output: ATTOutput) {
        for event in output.events {
            serverEvents.append(event)
            switch event {
            case .readRequest(let request, let handle, let offset):
                reads.append(offset)
                guard answers else { continue }
                if let refusal = refusals[handle] {
                    server.respondToRead(request, error: refusal, at: now, output: &serverOutput)
                } else if let (refused, first, refusal) = refusesAfter, refused == handle, offset >= first {
                    server.respondToRead(request, error: refusal, at: now, output: &serverOutput)
                } else if let value = values[handle], offset <= value.count {
                    server.respondToRead(
                        request, value: value.span.extracting(offset...), at: now, output: &serverOutput)
                } else {
                    server.respondToRead(request, error: .invalidOffset, at: now, output: &serverOutput)
                }
            case .writeRequest(let request, let items, let needsResponse):
                let list = output.arena.writeItems[items].map {
                    Write(handle: $0.handle, offset: $0.offset, value: Array(output.arena.octets[$0.value]))
                }
                writes.append(list)
                for item in list {
                    var value = values[item.handle] ?? []
                    value.removeSubrange(min(item.offset, value.count)...)
                    values[item.handle] = value + item.value
                }
                guard answers, needsResponse else { continue }
                server.respondToWrite(
                    request, error: list.compactMap { refusals[$0.handle] }.first, at: now, output: &serverOutput)
            default: break
            }
        }
    }

    /// Submits an operation and pumps until it is over.
    @discardableResult
    func run(_ operation: GATTOperation) -> Result<GATTResult, GATTError>? {
        run { $0.submit(operation, id: $1, at: $2, output: &$3) }
    }

    @discardableResult
    func run(
        _ body: (inout ATTBearer, UInt32, Instant, inout ATTOutput) -> Void
    ) -> Result<GATTResult, GATTError>? {
        nextID += 1
        body(&client, nextID, now, &clientOutput)
        pump()
        return result(nextID)
    }

    /// Submits an operation without waiting for its end. Returns its number.
    func submit(_ operation: GATTOperation, subscriber: Int = 0) -> UInt32 {
        nextID += 1
        client.submit(operation, id: nextID, subscriber: subscriber, at: now, output: &clientOutput)
        return nextID
    }

    func result(_ id: UInt32) -> Result<GATTResult, GATTError>? {
        for case .completed(id, let result) in clientEvents { return result }
        return nil
    }

    /// Calls the client without waiting for what comes of it.
    func withClient(_ body: (inout ATTBearer, inout ATTOutput) throws -> Void) rethrows {
        try body(&client, &clientOutput)
    }

    func onClient(_ body: (inout ATTBearer, inout ATTOutput) throws -> Void) rethrows {
        try body(&client, &clientOutput)
        pump()
    }

    func onServer(_ body: (inout ATTBearer, inout ATTOutput) throws -> Void) rethrows {
        try body(&server, &serverOutput)
        pump()
    }

    func exchangeMTU() { onClient { $0.exchangeMTU(at: now, output: &$1) } }
}

extension ATTBearer {
    /// Feeds octets and returns what comes out.
    mutating func answer(
        _ pdu: [UInt8], _ database: inout AttributeDatabase, security: LinkSecurity = .none, at now: Instant = .zero
    ) -> Reply {
        var output = ATTOutput()
        receive(pdu.span, database: &database, security: security, at: now, output: &output)
        return Reply(output)
    }

    /// Does something and returns what comes out.
    mutating func act(_ body: (inout ATTBearer, inout ATTOutput) -> Void) -> Reply {
        var output = ATTOutput()
        body(&self, &output)
        return Reply(output)
    }
}

extension AttributeDatabase {
    /// Adds a service that must fit.
    mutating func added(_ definition: ServiceDefinition, included: [HandleRange] = []) throws -> AddedService {
        let service = add(definition, included: included)
        return try #require(service)
    }
}

struct Reply: Equatable {
    var pdus: [[UInt8]]
    var events: [ATTEvent]
    init(_ output: ATTOutput) {
        pdus = output.pdus.map { Array(output.pduOctets[$0]) }
        events = output.events
    }
}

/// Octets from hexadecimal text.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }

/// Octets that differ from one place to the next.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }

extension CharacteristicDefinition {
    init(
        _ uuid: BluetoothUUID, _ properties: UInt, _ permissions: UInt, value: [UInt8]? = nil,
        descriptors: [DescriptorDefinition] = []
    ) {
        self.init(uuid: uuid, properties: properties, permissions: permissions, value: value, descriptors: descriptors)
    }
}

extension ServiceDefinition {
    init(_ uuid: BluetoothUUID, isPrimary: Bool = true, _ characteristics: [CharacteristicDefinition] = []) {
        self.init(uuid: uuid, isPrimary: isPrimary, includedServices: [], characteristics: characteristics)
    }
}
