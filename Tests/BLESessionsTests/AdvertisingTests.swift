import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

struct AdvertisingTests {
    private let setData: UInt16 = 0x2008
    private let setEnable: UInt16 = 0x200A
    private let heartRate = BluetoothUUID(UInt16(0x180D))
    private let battery = BluetoothUUID(UInt16(0x180F))

    private func start(_ bench: SessionBench, _ session: Int, _ name: String? = nil, _ services: [BluetoothUUID] = []) {
        bench.call {
            $0.startAdvertising(Advertisement(localName: name, services: services), session: session, at: $1)
        }
    }

    private func stop(_ bench: SessionBench, _ session: Int) {
        bench.call { $0.stopAdvertising(session: session, at: $1) }
    }

    private func data(_ bench: SessionBench) -> [UInt8]? {
        let octets = bench.controller.commands.last { $0.opcode == setData }?.parameters
        return octets.map { Array($0[1..<1 + Int($0[0])]) }
    }

    @Test func sessionsAdvertiseTogetherUnderTheFirstName() {
        let bench = SessionBench.ready()
        start(bench, 1, nil, [heartRate])
        start(bench, 2, "B", [battery, heartRate])
        start(bench, 3, "C", [])
        #expect(
            bench.take() == [
                .advertisingStarted(nil, session: 1), .advertisingStarted(nil, session: 2),
                .advertisingStarted(nil, session: 3),
            ])
        #expect(data(bench) == [2, 1, 6, 5, 3, 0x0D, 0x18, 0x0F, 0x18, 2, 9, 0x42])
        stop(bench, 2)
        #expect(data(bench) == [2, 1, 6, 3, 3, 0x0D, 0x18, 2, 9, 0x43])
        stop(bench, 1)
        stop(bench, 3)
        #expect(bench.controller.commands.last.map { [UInt8](arrayLiteral: $0.parameters[0]) } == [0])
    }

    @Test func aSecondStartIsRefused() {
        let bench = SessionBench.ready()
        start(bench, 1)
        start(bench, 1)
        #expect(
            bench.take() == [
                .advertisingStarted(nil, session: 1), .advertisingStarted(.alreadyAdvertising, session: 1),
            ])
    }

    @Test func aSecondStartIsRefusedAfterTheFirstIsAnswered() {
        let bench = SessionBench.ready()
        bench.controller.ignored = [setEnable]
        start(bench, 1)
        start(bench, 1)
        #expect(bench.take() == [])
        stop(bench, 1)
        #expect(
            bench.take() == [
                .advertisingStarted(nil, session: 1), .advertisingStarted(.alreadyAdvertising, session: 1),
            ])
    }

    @Test func aRefusalOfTheControllerEndsTheRequest() {
        let bench = SessionBench.ready()
        bench.controller.refusals[setEnable] = 0x0C
        start(bench, 1)
        #expect(bench.take() == [.advertisingStarted(.controller(0x0C), session: 1)])
        bench.controller.refusals = [:]
        start(bench, 1)
        #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
    }

    @Test func aRefusedSessionLeavesTheOthersAdvertising() {
        let bench = SessionBench.ready()
        start(bench, 1, "A")
        #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
        let before = data(bench)
        bench.controller.refusals[setData] = 0x0C
        bench.sessions.startAdvertising(
            Advertisement(localName: nil, services: [battery]), session: 2, at: bench.now)
        bench.controller.receive(bench.sessions.host.outgoing)
        bench.sessions.host.outgoing.removeAll()
        bench.controller.refusals = [:]
        bench.settle()
        #expect(bench.take() == [.advertisingStarted(.controller(0x0C), session: 2)])
        #expect(data(bench) == before)
        #expect(bench.controller.commands.last { $0.opcode == setEnable }?.parameters == [1])
    }

    @Test func nothingStartsWithoutPower() {
        let bench = SessionBench()
        start(bench, 1)
        #expect(bench.take() == [.advertisingStarted(.notPoweredOn, session: 1)])
    }
}
