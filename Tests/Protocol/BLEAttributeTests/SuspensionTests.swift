import BLEWire
import Testing

@testable import BLEAttribute

/// Operations that the peer refuses for lack of security (Vol 3, Part F, 3.4.1.1; Vol 3, Part C, 10.3.2).
struct SuspensionTests {
    enum Procedure: CaseIterable {
        case allServices, servicesByUUID, includedServices, characteristics, descriptors, read, longRead, write,
            longWrite, subscribe, unsubscribe
    }

    /// A pair whose server has two services, and the operation of a procedure.
    private func prepare(_ procedure: Procedure, suspends: Bool = true) throws -> (Pair, GATTOperation) {
        var database = AttributeDatabase()
        let long = BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
        let included = try database.added(ServiceDefinition(long, isPrimary: false))
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(
                        uuid(0x36F5), 0x3E, 3,
                        descriptors: [DescriptorDefinition(uuid: uuid(0x2901), value: [0x41])]),
                    CharacteristicDefinition(long, 0x02, 1),
                ]), included: [included.range])
        let pair = Pair(database, suspendsForSecurity: suspends)
        let handle = service.characteristics[0].valueHandle
        let end = service.characteristics[0].descriptorHandles[0]
        pair.values[handle] = procedure == .longRead ? pattern(60) : [1]
        let operation: GATTOperation =
            switch procedure {
            case .allServices: .discoverServices(nil)
            case .servicesByUUID: .discoverServices([uuid(0xFEE7), long])
            case .includedServices: .discoverIncludedServices(service: service.range, nil)
            case .characteristics: .discoverCharacteristics(service: service.range, nil)
            case .descriptors: .discoverDescriptors(after: handle, end: end)
            case .read, .longRead: .read(handle: handle)
            case .write: .write(handle: handle, value: [7])
            case .longWrite: .write(handle: handle, value: pattern(50))
            case .subscribe: .setNotify(valueHandle: handle, end: end, mode: .notification)
            case .unsubscribe: .setNotify(valueHandle: handle, end: end, mode: .off)
            }
        return (pair, operation)
    }

    /// Submits the operation, of which the server refuses the request of this number, and checks that it is suspended.
    private func suspend(
        _ procedure: Procedure, at refused: Int, _ code: ATT.ErrorCode = .insufficientAuthentication
    ) throws -> (Pair, UInt32) {
        let (pair, operation) = try prepare(procedure)
        pair.refuses = { [unowned pair] _ in pair.toServer.count == refused + 1 ? code : nil }
        let id = pair.submit(operation)
        pair.pump()
        #expect(pair.clientEvents == [.securityRequired(id: id, code)])
        #expect(pair.toServer.count == refused + 1 && pair.client.deadline == nil)
        return (pair, id)
    }

    /// The requests and the result of a procedure that is not refused.
    private func undisturbed(_ procedure: Procedure) throws -> ([[UInt8]], Result<GATTResult, GATTError>?) {
        let (pair, operation) = try prepare(procedure)
        let result = pair.run(operation)
        return (pair.toServer, result)
    }

    @Test(arguments: Procedure.allCases) func theRefusedRequestIsRepeatedAndTheProcedureContinues(
        _ procedure: Procedure
    )
        throws
    {
        let (requests, result) = try undisturbed(procedure)
        for refused in requests.indices {
            let (pair, id) = try suspend(procedure, at: refused)
            pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
            #expect(pair.result(id) == result && pair.clientEvents.count == 2)
            #expect(pair.toServer == Array(requests[...refused]) + Array(requests[refused...]))
        }
    }

    @Test(arguments: Procedure.allCases) func withoutRepetitionTheOperationFailsWithTheRefusal(_ procedure: Procedure)
        throws
    {
        let (requests, _) = try undisturbed(procedure)
        for refused in requests.indices {
            let (pair, id) = try suspend(procedure, at: refused, .insufficientEncryption)
            pair.onClient { $0.resume(repeating: false, at: pair.now, output: &$1) }
            // The kind of an included service is not needed.
            if procedure == .includedServices, requests[refused][0] == 0x04 { continue }
            #expect(pair.result(id) == .failure(.attribute(0x0F)))
            // The parts of a long write that the server keeps are cancelled.
            let isPreparing = requests[refused][0] == 0x16 && refused > 0
            #expect(Array(pair.toServer[(refused + 1)...]) == (isPreparing ? [[0x18, 0]] : []))
            #expect(pair.client.clientSubscriptions.isEmpty)
            #expect(pair.run(.read(handle: 3)) != nil, "the queue goes on")
        }
    }

    @Test(arguments: Procedure.allCases) func aSecondRefusalIsTheResult(_ procedure: Procedure) throws {
        let (requests, _) = try undisturbed(procedure)
        for refused in requests.indices {
            let (pair, id) = try suspend(procedure, at: refused)
            pair.refuses = { $0 == requests[refused] ? .encryptionKeySizeTooShort : nil }
            pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
            if procedure == .includedServices, requests[refused][0] == 0x04 { continue }
            #expect(pair.result(id) == .failure(.attribute(0x0C)))
        }
    }

    /// The procedures of several requests whose later ones are needed for the result.
    private static let longProcedures: [Procedure] = [
        .allServices, .servicesByUUID, .characteristics, .longRead, .longWrite,
    ]

    @Test(arguments: longProcedures) func aRefusalOfALaterRequestIsTheResult(_ procedure: Procedure) throws {
        let (requests, _) = try undisturbed(procedure)
        try #require(requests.count > 1)
        let (pair, id) = try suspend(procedure, at: 0)
        pair.refuses = { $0 == requests[1] ? .insufficientEncryption : nil }
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.result(id) == .failure(.attribute(0x0F)))
    }

    @Test func aSuspensionStopsTheTimeoutAndOtherOperations() throws {
        let (pair, id) = try suspend(.read, at: 0)
        let other = pair.submit(.write(handle: 3, value: [1]))
        pair.now = .zero + .seconds(600)
        pair.onClient { $0.handleTimeout(at: pair.now, output: &$1) }
        #expect(!pair.client.hasFailed && pair.toServer.count == 1 && pair.client.deadline == nil)
        // A late or forged response is none to a request that is outstanding.
        var database = AttributeDatabase()
        #expect(pair.client.answer([0x0B, 9], &database).events.isEmpty && !pair.client.hasFailed)
        // Values go on.
        let handle = pair.database.attributes.last?.handle ?? 0
        pair.onServer { $0.notify(handle: handle, value: [5].span, output: &$1) }
        #expect(pair.received.map(\.value) == [[5]])
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.result(id) == .success(.value([1])))
        #expect(pair.result(other) != nil)
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.toServer.count == 3, "there is nothing to resume")
    }

    @Test func aRepeatedRequestHasItsOwnTimeout() throws {
        let (pair, _) = try suspend(.read, at: 0)
        pair.now = .zero + .seconds(100)
        pair.withClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.client.deadline == .zero + .seconds(130))
    }

    @Test(arguments: Procedure.allCases) func cancellingASuspendedOperationHasNoCompletion(_ procedure: Procedure)
        throws
    {
        let (requests, _) = try undisturbed(procedure)
        for refused in requests.indices {
            let (pair, id) = try suspend(procedure, at: refused)
            let next = pair.submit(.write(handle: 3, value: [1]))
            var isTaken = false
            pair.onClient { isTaken = $0.cancelOperation(id, at: pair.now, output: &$1) }
            #expect(isTaken && pair.result(id) == nil && pair.result(next) != nil)
            #expect(pair.client.clientSubscriptions.isEmpty)
        }
    }

    @Test func theEndOfTheLinkEndsASuspendedOperation() throws {
        let (pair, id) = try suspend(.longWrite, at: 1)
        let reply = pair.client.act { $0.close(output: &$1) }
        #expect(reply.events.isEmpty && reply.pdus.isEmpty)
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.toServer.count == 2 && pair.result(id) == nil)
    }

    @Test func theEndOfTheBearerFailsASuspendedOperation() throws {
        let (pair, id) = try suspend(.read, at: 0)
        pair.withClient { $0.indicate(handle: 3, value: [1].span, at: .zero, output: &$1) }
        pair.now = .zero + ATT.transactionTimeout
        let reply = pair.client.act { $0.handleTimeout(at: pair.now, output: &$1) }
        #expect(reply.events == [.completed(id: id, .failure(.bearerLost)), .bearerFailed])
    }

    @Test func otherErrorsAndTheHostsOwnTasksAreNotSuspended() throws {
        for code in [ATT.ErrorCode.insufficientAuthorization, .readNotPermitted, .invalidHandle] {
            let (pair, operation) = try prepare(.read)
            pair.refuses = { _ in code }
            #expect(pair.run(operation) == .failure(.attribute(code.rawValue)))
        }
        let (pair, _) = try prepare(.read)
        pair.refuses = { _ in .insufficientAuthentication }
        #expect(pair.run { $0.readDeviceName(id: $1, at: $2, output: &$3) } == .failure(.attribute(0x05)))
    }

    @Test func withoutTheOptionTheOperationFails() throws {
        let (pair, operation) = try prepare(.read, suspends: false)
        pair.refuses = { _ in .insufficientAuthentication }
        #expect(pair.run(operation) == .failure(.attribute(0x05)))
    }
}
