import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct RequestTests {
    /// A published service of two characteristics.
    struct Server {
        let bench = PeripheralBench()
        let first = characteristic("AA01")
        let second = characteristic("AA02")
        let token: Int

        init() {
            token = bench.publish(service("FEE7", [first, second]))
            _ = bench.newEvents()
            _ = bench.newCommands()
        }

        func reference(_ index: Int) -> CharacteristicReference {
            CharacteristicReference(service: token, index: index)
        }
        func read(_ request: UInt64, _ index: Int = 0, offset: Int = 0) {
            let reference = reference(index)
            bench.emit {
                $0.receivedRead(
                    RequestIdentifier(rawValue: request), of: reference, offset: offset, from: PeripheralBench.client)
            }
        }
        func write(_ request: UInt64, _ items: [WriteItem], needsResponse: Bool = true) {
            bench.emit {
                $0.receivedWrite(
                    RequestIdentifier(rawValue: request), items, needsResponse: needsResponse,
                    from: PeripheralBench.client)
            }
        }
        func subscribe(_ client: CentralRecord = PeripheralBench.client, _ index: Int = 0) {
            let reference = reference(index)
            bench.emit { $0.subscribed(client, to: reference) }
        }
    }

    @Test func aReadOfMoreThan512OctetsIsRefusedAndLogged() throws {
        let server = Server()
        let bench = server.bench
        let refusal = UInt8(CBATTError.Code.invalidAttributeValueLength.rawValue)
        for (number, offset, count, isTaken) in [
            (1, 0, 512, true), (2, 0, 513, false), (3, 497, 15, true), (4, 497, 16, false), (5, 512, 0, true),
        ] {
            server.read(UInt64(number), offset: offset)
            try #require(bench.recorder.reads.value.count == number)
            let request = try #require(bench.recorder.reads.value.last)
            let value = [UInt8](repeating: 7, count: count)
            request.value = Data(value)
            let lines = misuses { bench.manager.respond(to: request, withResult: .success) }
            #expect(lines.isEmpty == isTaken)
            #expect(
                bench.newCommands() == [
                    .respond(
                        RequestIdentifier(rawValue: UInt64(number)), error: isTaken ? 0 : refusal,
                        value: isTaken ? value : nil)
                ])
        }
    }

    @Test(arguments: [false, true]) func subscriptionsEndWithTheirService(_ all: Bool) {
        let server = Server()
        let bench = server.bench
        server.subscribe()
        server.subscribe(PeripheralBench.otherClient)
        server.subscribe(PeripheralBench.client, 1)
        _ = bench.newEvents()
        let tree = server.first.service as? CBMutableService
        if all { bench.manager.removeAllServices() } else { tree.map { bench.manager.remove($0) } }
        bench.settle()
        #expect(bench.newEvents() == ["unsubscribe AA01 0", "unsubscribe AA01 0", "unsubscribe AA02 0"])
        #expect((server.first.subscribedCentrals ?? []).isEmpty && (server.second.subscribedCentrals ?? []).isEmpty)
    }

    @Test func row125_onlyNameAndServicesAreAdvertised() {
        let bench = PeripheralBench()
        let lines = misuses {
            bench.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Thing",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FEE7"), CBUUID(string: "1812")],
                CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]),
            ])
        }
        #expect(lines.count == 1 && lines[0].contains("kCBAdvDataManufacturerData"))
        #expect(
            bench.newCommands() == [
                .advertise(Advertisement(localName: "Thing", services: [short(0xFEE7), short(0x1812)]))
            ])
    }

    @Test func row128_row130_startingAdvertisingHasACallbackAndStoppingHasNone() {
        let bench = PeripheralBench()
        bench.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Thing"])
        #expect(!bench.manager.isAdvertising)
        bench.emit { $0.advertisingStarted(nil) }
        #expect(bench.newEvents() == ["advertising true"] && bench.manager.isAdvertising)
        bench.manager.stopAdvertising()
        bench.settle()
        #expect(bench.newEvents().isEmpty && !bench.manager.isAdvertising)
    }

    @Test func row129_startingWhileAdvertisingIsAnError() {
        let bench = PeripheralBench()
        bench.manager.startAdvertising(nil)
        bench.emit { $0.advertisingStarted(nil) }
        bench.manager.startAdvertising(nil)
        bench.emit { $0.advertisingStarted(.alreadyAdvertising) }
        #expect(bench.newEvents() == ["advertising true", "advertising true CBErrorDomain 9"])
        bench.manager.stopAdvertising()
        bench.manager.startAdvertising(nil)
        bench.emit { $0.advertisingStarted(.controller(0x0C)) }
        #expect(bench.newEvents() == ["advertising false CBErrorDomain 0"])
    }

    @Test func row130_aStopDuringTheStartTakesEffect() {
        let bench = PeripheralBench()
        bench.manager.startAdvertising(nil)
        bench.manager.stopAdvertising()
        bench.emit { $0.advertisingStarted(nil) }
        #expect(!bench.manager.isAdvertising)
    }

    @Test func row131_nilAdvertisementDataIsAllowed() {
        let bench = PeripheralBench()
        bench.manager.startAdvertising(nil)
        #expect(bench.newCommands() == [.advertise(Advertisement(localName: nil, services: []))])
    }

    @Test func row005_row016_peripheralCommandsAreDroppedUnlessPoweredOn() {
        let bench = PeripheralBench(initialState: .poweredOff)
        let value = characteristic("AA01")
        let lines = misuses {
            bench.manager.add(service("FEE7", [value]))
            bench.manager.startAdvertising(nil)
            bench.manager.stopAdvertising()
            bench.manager.removeAllServices()
            #expect(!bench.manager.updateValue(Data(), for: value, onSubscribedCentrals: nil))
        }
        bench.settle()
        #expect(lines.count == 5 && bench.newCommands().isEmpty && bench.newEvents().isEmpty)
    }

    @Test func row133_row134_aReadResponseCarriesTheRequestsValue() throws {
        let server = Server()
        server.read(7, offset: 2)
        #expect(server.bench.newEvents() == ["read AA01 2 -1"])
        let request = try #require(server.bench.recorder.reads.value.first)
        #expect(request.characteristic === server.first)
        request.value = Data([3, 4])
        server.bench.manager.respond(to: request, withResult: .success)
        #expect(server.bench.newCommands() == [.respond(RequestIdentifier(rawValue: 7), error: 0, value: [3, 4])])
    }

    @Test func row133_aSecondAnswerIsIgnored() throws {
        let server = Server()
        server.read(7)
        let request = try #require(server.bench.recorder.reads.value.first)
        let lines = misuses {
            server.bench.manager.respond(to: request, withResult: .success)
            server.bench.manager.respond(to: request, withResult: .success)
        }
        #expect(lines.count == 1 && server.bench.newCommands().count == 1)
    }

    @Test func row135_aRefusalCarriesItsErrorCode() throws {
        let server = Server()
        server.read(7, offset: 99)
        let request = try #require(server.bench.recorder.reads.value.first)
        request.value = Data([1])
        server.bench.manager.respond(to: request, withResult: .invalidOffset)
        server.read(8)
        let code = CBATTError.Code(rawValue: 0x80)!
        server.bench.manager.respond(to: server.bench.recorder.reads.value[1], withResult: code)
        server.read(9)
        let impossible = CBATTError.Code(rawValue: -5)!
        server.bench.manager.respond(to: server.bench.recorder.reads.value[2], withResult: impossible)
        #expect(
            server.bench.newCommands() == [
                .respond(RequestIdentifier(rawValue: 7), error: 7, value: nil),
                .respond(RequestIdentifier(rawValue: 8), error: 0x80, value: nil),
                .respond(RequestIdentifier(rawValue: 9), error: 14, value: nil),
            ])
    }

    @Test func row136_row138_aWriteIsOneArrayWithOneResponse() throws {
        let server = Server()
        server.write(
            7,
            [
                WriteItem(characteristic: server.reference(0), offset: 0, value: [1]),
                WriteItem(characteristic: server.reference(0), offset: 1, value: [2]),
                WriteItem(characteristic: server.reference(1), offset: 0, value: [3]),
            ])
        #expect(server.bench.newEvents() == ["write AA01+0=[1] AA01+1=[2] AA02+0=[3]"])
        let requests = try #require(server.bench.recorder.writes.value.first)
        #expect(requests[0].central === requests[2].central)
        server.bench.manager.respond(to: requests[0], withResult: .success)
        #expect(misuses { server.bench.manager.respond(to: requests[1], withResult: .success) }.count == 1)
        #expect(server.bench.newCommands() == [.respond(RequestIdentifier(rawValue: 7), error: 0, value: nil)])
    }

    @Test func row137_writeCommandsNeedNoResponse() throws {
        let server = Server()
        server.write(
            7, [WriteItem(characteristic: server.reference(0), offset: 0, value: [1])], needsResponse: false)
        let requests = try #require(server.bench.recorder.writes.value.first)
        #expect(misuses { server.bench.manager.respond(to: requests[0], withResult: .success) }.isEmpty)
        #expect(server.bench.newCommands().isEmpty)
    }

    @Test func requestsWithoutADelegateAreRefused() {
        let server = Server()
        server.bench.manager.delegate = nil
        server.read(7)
        server.write(8, [WriteItem(characteristic: server.reference(0), offset: 0, value: [])])
        server.write(9, [], needsResponse: false)
        #expect(
            server.bench.newCommands()
                == [7, 8].map {
                    .respond(RequestIdentifier(rawValue: $0), error: 14, value: nil)
                })
    }

    @Test func anotherManagersRequestIsRefused() throws {
        let server = Server()
        let other = Server()
        server.read(7)
        let request = try #require(server.bench.recorder.reads.value.first)
        #expect(misuses { other.bench.manager.respond(to: request, withResult: .success) }.count == 1)
        #expect(other.bench.newCommands().isEmpty)
    }

    @Test func row139_aClientIsOneObjectWithTheHostsIdentifier() throws {
        let server = Server()
        server.read(1)
        server.read(2)
        let reads = server.bench.recorder.reads.value
        #expect(reads[0].central === reads[1].central)
        #expect(reads[0].central.identifier == CentralBench.peer.uuidForTests)
    }

    @Test func row140_row141_subscriptionsAreKeptUpToDate() throws {
        let server = Server()
        let reference = server.reference(0)
        server.subscribe()
        server.subscribe(PeripheralBench.otherClient)
        #expect(server.first.subscribedCentrals?.count == 2 && server.second.subscribedCentrals == nil)
        server.bench.emit { $0.unsubscribed(PeripheralBench.client, from: reference) }
        #expect(
            server.bench.newEvents() == ["subscribe AA01 1", "subscribe AA01 2", "unsubscribe AA01 1"])
        #expect(server.first.subscribedCentrals?.map(\.identifier) == [CentralBench.otherPeer.uuidForTests])
    }

    @Test func row143_aFullQueueReturnsFalseAndReadyFollows() {
        let server = Server()
        server.subscribe()
        _ = server.bench.newEvents()
        #expect(server.bench.manager.updateValue(Data([1]), for: server.first, onSubscribedCentrals: nil))
        server.bench.session.record.acceptsUpdates { $0 = false }
        #expect(!server.bench.manager.updateValue(Data([2]), for: server.first, onSubscribedCentrals: nil))
        server.bench.emit { $0.readyToUpdate() }
        #expect(server.bench.newEvents() == ["ready"])
    }

    @Test func row144_aListOfCentralsLimitsTheReceivers() {
        let server = Server()
        server.subscribe()
        server.subscribe(PeripheralBench.otherClient)
        let central = server.bench.recorder.centrals.value[1]
        _ = server.bench.manager.updateValue(Data([1]), for: server.first, onSubscribedCentrals: [central])
        _ = server.bench.manager.updateValue(Data([2]), for: server.second, onSubscribedCentrals: nil)
        #expect(
            server.bench.newCommands() == [
                .update([1], server.reference(0), centrals: [CentralBench.otherPeer]),
                .update([2], server.reference(1), centrals: nil),
            ])
    }

    @Test func row146_theUpdateLengthFollowsTheMTU() throws {
        let server = Server()
        server.subscribe()
        let central = try #require(server.first.subscribedCentrals?.first)
        #expect(central.maximumUpdateValueLength == 20)
        server.bench.emit {
            $0.maximumUpdateLengthChanged(
                CentralRecord(identifier: CentralBench.peer, maximumUpdateLength: 244))
        }
        #expect(central.maximumUpdateValueLength == 244)
    }

    @Test func row148_theDesiredLatencyIsARequest() throws {
        let server = Server()
        server.subscribe()
        let central = try #require(server.first.subscribedCentrals?.first)
        server.bench.manager.setDesiredConnectionLatency(.high, for: central)
        #expect(
            misuses {
                server.bench.manager.setDesiredConnectionLatency(
                    CBPeripheralManagerConnectionLatency(rawValue: 9)!, for: central)
            }.count == 1)
        #expect(server.bench.newCommands() == [.latency(.high, CentralBench.peer)])
    }

    @Test func row149_row151_publishingReportsTheResultOfTheSession() {
        let bench = PeripheralBench()
        bench.manager.publishL2CAPChannel(withEncryption: true)
        bench.manager.unpublishL2CAPChannel(0x80)
        #expect(bench.newCommands() == [.publishChannel(requiresEncryption: true), .unpublishChannel(0x80)])
        let observer = bench.session.observer
        observer?.channelPublished(.success(0x80))
        observer?.channelPublished(.failure(.noResources))
        observer?.channelUnpublished(psm: 0x80, nil)
        observer?.channelUnpublished(psm: 0x99, .unknownPSM)
        bench.settle()
        #expect(
            bench.newEvents() == [
                "publish 128", "publish 0 CBErrorDomain 4", "unpublish 128", "unpublish 153 CBErrorDomain 1",
            ])
    }

    @Test func row012_releasingThePeripheralManagerEndsItsSession() {
        let bench = PeripheralBench()
        bench.manager = nil
        #expect(bench.newCommands() == [.closed])
    }
}
