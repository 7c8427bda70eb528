import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Sessions that advertise with extended packets, each in a set of its own.
struct ExtendedAdvertisingTests {
    private let setParameters: UInt16 = 0x2036
    private let setData: UInt16 = 0x2037
    private let setEnable: UInt16 = 0x2039
    private let removeSet: UInt16 = 0x203C

    private func start(
        _ bench: SessionBench, _ session: Int, _ name: String, _ extended: Advertisement.Extended? = .init()
    ) {
        let advertisement = Advertisement(localName: name, services: [], extended: extended)
        bench.call { $0.startAdvertising(advertisement, session: session, at: $1) }
    }

    private func stop(_ bench: SessionBench, _ session: Int) {
        bench.call { $0.stopAdvertising(session: session, at: $1) }
    }

    /// Handle, properties, PHYs and SID of the last parameters of each set (Vol 4, Part E, 7.8.53).
    private func sets(_ bench: SessionBench) -> [UInt8: [UInt8]] {
        var sets: [UInt8: [UInt8]] = [:]
        for command in bench.controller.commands {
            let octets = command.parameters
            switch command.opcode {
            case setParameters: sets[octets[0]] = [octets[1], octets[2], octets[20], octets[22], octets[23]]
            case removeSet: sets[octets[0]] = nil
            default: break
            }
        }
        return sets
    }

    /// The data of the last command for a set.
    private func data(_ bench: SessionBench, _ handle: UInt8) -> [UInt8]? {
        bench.controller.commands.last { $0.opcode == setData && $0.parameters[0] == handle }
            .map { Array($0.parameters[4...]) }
    }

    @Test func eachSessionHasItsSet() {
        let bench = SessionBench.ready { $0.isExtended = true }
        start(bench, 1, "A", nil)
        start(bench, 2, "B")
        start(bench, 3, "C", .init(primaryPHY: .leCoded, secondaryPHY: .leCoded))
        start(bench, 4, "D", nil)
        #expect(bench.take() == (1...4).map { .advertisingStarted(nil, session: $0) })
        // Legacy connectable packets, and extended ones.
        #expect(sets(bench) == [0: [0x13, 0, 1, 1, 0], 1: [1, 0, 1, 1, 1], 2: [1, 0, 3, 3, 2]])
        #expect(data(bench, 0) == [2, 1, 6, 2, 9, 0x41])
        #expect(data(bench, 1) == [2, 1, 6, 2, 9, 0x42])
        #expect(data(bench, 2) == [2, 1, 6, 2, 9, 0x43])
        // The end of one changes nothing of the others, and its set is free for the next.
        var before = bench.controller.commands.count
        stop(bench, 2)
        // Disable set 1, and remove it.
        #expect(bench.controller.commands[before...].map(\.opcode) == [setEnable, removeSet])
        #expect(bench.controller.commands[before...].map { Array($0.parameters.prefix(3)) } == [[0, 1, 1], [1]])
        before = bench.controller.commands.count
        #expect(sets(bench).keys.sorted() == [0, 2])
        start(bench, 5, "E", .init(secondaryPHY: .leCoded))
        #expect(bench.take() == [.advertisingStarted(nil, session: 5)])
        #expect(sets(bench)[1] == [1, 0, 1, 3, 1])
        #expect(data(bench, 1) == [2, 1, 6, 2, 9, 0x45])
        #expect(!bench.controller.commands[before...].contains { $0.opcode != setEnable && $0.parameters[0] != 1 })
    }

    /// The set that a session gives up makes room for its next one, although the controller has it still.
    @Test func aSessionChangesItsKindOfPacketsWhereTheControllerHasOneSet() {
        let bench = SessionBench.ready {
            $0.isExtended = true
            $0.advertisingSets = 1
        }
        start(bench, 1, "A", nil)
        for extended in [Advertisement.Extended(), nil, .init()] {
            _ = bench.take()
            let advertisement = Advertisement(localName: "A", services: [], extended: extended)
            bench.call {
                $0.stopAdvertising(session: 1, at: $1)
                $0.startAdvertising(advertisement, session: 1, at: $1)
            }
            #expect(bench.take() == [.advertisingStarted(nil, session: 1)])
            #expect(sets(bench).keys.sorted() == [extended == nil ? 0 : 1])
        }
        start(bench, 2, "B")
        let full = AdvertisingError.controller(HCI.ErrorCode.memoryCapacityExceeded.rawValue)
        #expect(bench.take() == [.advertisingStarted(full, session: 2)])
    }

    @Test func aSixteenthExtendedSessionIsRefused() {
        let bench = SessionBench.ready {
            $0.isExtended = true
            $0.advertisingSets = 16
        }
        for session in 1...16 { start(bench, session, "A") }
        let full = AdvertisingError.controller(HCI.ErrorCode.memoryCapacityExceeded.rawValue)
        #expect(
            bench.take() == (1...15).map { .advertisingStarted(nil, session: $0) } + [
                .advertisingStarted(full, session: 16)
            ])
        stop(bench, 3)
        start(bench, 16, "A")
        #expect(bench.take() == [.advertisingStarted(nil, session: 16)])
    }

    @Test func aControllerWithoutSetsRefuses() {
        let bench = SessionBench.ready()
        start(bench, 1, "A")
        start(bench, 2, "B", nil)
        let unsupported = AdvertisingError.controller(HCI.ErrorCode.unsupportedFeatureOrParameterValue.rawValue)
        #expect(
            bench.take() == [.advertisingStarted(unsupported, session: 1), .advertisingStarted(nil, session: 2)])
    }

    /// The refusal of one set does not end another one, nor answer for it.
    @Test func aRefusedSetEndsAlone() {
        let bench = SessionBench.ready { $0.isExtended = true }
        start(bench, 1, "A")
        _ = bench.take()
        bench.controller.refusals[setData] = 0x07
        start(bench, 2, "B")
        #expect(bench.take() == [.advertisingStarted(.controller(0x07), session: 2)])
        bench.controller.refusals[setData] = nil
        start(bench, 2, "B")
        #expect(bench.take() == [.advertisingStarted(nil, session: 2)])
        #expect(sets(bench).keys.sorted() == [1, 2])
    }

    @Test func allSetsAreBackAfterPowerWasOff() {
        let bench = SessionBench.ready { $0.isExtended = true }
        start(bench, 1, "A", nil)
        start(bench, 2, "B")
        _ = bench.take()
        bench.call { $0.powerOff(at: $1) }
        let before = bench.controller.commands.count
        bench.call { $0.powerOn(at: $1) }
        let again = bench.controller.commands[before...].filter { $0.opcode == setParameters }.map { $0.parameters[0] }
        #expect(again.sorted() == [0, 1])
        #expect(bench.controller.commands[before...].count { $0.opcode == setEnable && $0.parameters[0] == 1 } == 2)
        // One that ends while the power is off stays off.
        bench.call { $0.powerOff(at: $1) }
        stop(bench, 2)
        let last = bench.controller.commands.count
        bench.call { $0.powerOn(at: $1) }
        #expect(
            bench.controller.commands[last...].filter { $0.opcode == setParameters }.map { $0.parameters[0] } == [0])
    }
}
