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
        bench.controller.receive(bench.sessions.host.output.packets)
        bench.sessions.host.output.packets.removeAll()
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

    private let setParameters: UInt16 = 0x2006

    /// Interval minimum and maximum, and the type of the advertising.
    private func parameters(_ bench: SessionBench) -> [UInt16]? {
        let octets = bench.controller.commands.last { $0.opcode == setParameters }?.parameters
        return octets.map { [UInt16($0[0]) | UInt16($0[1]) << 8, UInt16($0[2]) | UInt16($0[3]) << 8, UInt16($0[4])] }
    }

    /// Advertising_Interval_Min and Advertising_Interval_Max are N * 0.625 ms with N from 0x0020 to 0x4000 (Vol 4, Part E, 7.8.5).
    @Test(
        arguments: [
            (0, 0x0020), (19_999, 0x0020), (20_000, 0x0020), (20_625, 0x0021), (100_000, 0x00A0), (1_285_000, 0x0808),
            (10_239_375, 0x3FFF), (10_240_000, 0x4000), (10_240_625, 0x4000), (40_959_375, 0x4000),
            (3_600_000_000, 0x4000),
        ] as [(Int, UInt16)])
    func anIntervalStaysWithinTheLimits(microseconds: Int, _ units: UInt16) {
        let bench = SessionBench.ready()
        let advertisement = Advertisement(
            localName: nil, services: [], isConnectable: false, interval: .microseconds(microseconds))
        bench.call { $0.startAdvertising(advertisement, session: 1, at: $1) }
        // ADV_NONCONN_IND.
        #expect(parameters(bench) == [units, units, 3])
    }

    /// Without an interval, the host advertises every 30 ms.
    @Test func theShortestIntervalOfTheSessionsCounts() {
        let bench = SessionBench.ready()
        func start(_ session: Int, _ milliseconds: Int?, isConnectable: Bool = false) {
            let advertisement = Advertisement(
                localName: nil, services: [], isConnectable: isConnectable,
                interval: milliseconds.map { .milliseconds($0) })
            bench.call { $0.startAdvertising(advertisement, session: session, at: $1) }
        }
        start(1, 200)
        start(2, 100)
        #expect(parameters(bench) == [160, 160, 3])
        // ADV_IND as soon as one is connectable.
        start(3, nil, isConnectable: true)
        #expect(parameters(bench) == [48, 48, 0])
        start(4, 20)
        #expect(parameters(bench) == [32, 32, 0])
        stop(bench, 4)
        #expect(parameters(bench) == [48, 48, 0])
        stop(bench, 3)
        #expect(parameters(bench) == [160, 160, 3])
        stop(bench, 2)
        #expect(parameters(bench) == [320, 320, 3])
    }

    /// 28 octets beside the flags: a structure is sent whole or not at all.
    @Test func structuresOfAllSessionsShareTheirRoom() {
        let bench = SessionBench.ready()
        func start(_ session: Int, _ count: Int) {
            let structure = Advertisement.Structure(type: 0xFF, octets: [UInt8](repeating: 7, count: count))
            let advertisement = Advertisement(localName: nil, services: [], structures: [structure])
            bench.call { $0.startAdvertising(advertisement, session: session, at: $1) }
        }
        let full = HCI.ErrorCode.memoryCapacityExceeded.rawValue
        #expect(full == 0x07)
        start(1, 27)
        #expect(bench.take() == [.advertisingStarted(.controller(full), session: 1)])
        start(1, 14)
        start(2, 11)
        start(3, 10)
        #expect(
            bench.take() == [
                .advertisingStarted(nil, session: 1), .advertisingStarted(.controller(full), session: 2),
                .advertisingStarted(nil, session: 3),
            ])
        let expected = [15, 0xFF] + [UInt8](repeating: 7, count: 14) + [11, 0xFF] + [UInt8](repeating: 7, count: 10)
        #expect(data(bench) == [2, 1, 6] + expected)
        stop(bench, 1)
        start(2, 14)
        #expect(bench.take() == [.advertisingStarted(nil, session: 2)])
        stop(bench, 2)
        stop(bench, 3)
        start(1, 26)
        #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
        #expect(data(bench) == [2, 1, 6, 27, 0xFF] + [UInt8](repeating: 7, count: 26))
    }

    /// A command's answer counts for the calls that wait for it, and for no later call.
    @Test(arguments: [nil, 0x0C] as [UInt8?]) func waitingCallsGetTheAnswerOnce(_ error: UInt8?) {
        let bench = SessionBench.ready()
        for _ in 0..<2 {
            bench.controller.ignored = [setEnable]
            for _ in 0..<3 { start(bench, 1) }
            #expect(bench.take() == [])
            bench.controller.ignored = []
            // Command Complete of LE Set Advertising Enable.
            bench.controller.event(0x0E, [1, 0x0A, 0x20, error ?? 0])
            bench.settle()
            let first = error.map { AdvertisingError.controller($0) }
            let others = SessionEvent.advertisingStarted(first ?? .alreadyAdvertising, session: 1)
            #expect(bench.take() == [.advertisingStarted(first, session: 1), others, others])
            if error == nil {
                start(bench, 1)
                #expect(bench.take() == [.advertisingStarted(.alreadyAdvertising, session: 1)])
            }
            stop(bench, 1)
            start(bench, 1)
            #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
            stop(bench, 1)
        }
    }

    @Test func aResetAnswersTheCallsThatWait() {
        let bench = SessionBench.ready()
        bench.controller.ignored = [setEnable]
        start(bench, 1)
        start(bench, 1)
        start(bench, 2)
        bench.controller.ignored = []
        bench.controller.event(0x10, [0x42])
        bench.settle()
        #expect(
            bench.take() == [
                .advertisingStarted(.notPoweredOn, session: 1), .advertisingStarted(.notPoweredOn, session: 1),
                .advertisingStarted(.notPoweredOn, session: 2),
            ])
        #expect(bench.sessions.advertising.requests.isEmpty)
        let enabled = bench.controller.count(of: setEnable)
        start(bench, 2)
        #expect(bench.take() == [.advertisingStarted(nil, session: 2)])
        #expect(bench.controller.count(of: setEnable) == enabled + 1)
    }

    @Test func aClosedSessionAdvertisesNoMore() {
        let bench = SessionBench.ready()
        bench.call { $0.openPeripheral(1, at: $1) }
        start(bench, 1, "A")
        bench.call { $0.closePeripheral(1, at: $1) }
        #expect(bench.controller.commands.last { $0.opcode == setEnable }?.parameters == [0])
        bench.run(.seconds(1))
        // It closed before its first state.
        #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
    }
}
