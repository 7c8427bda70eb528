import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// The events for the published snapshot, the store and the log.
struct SnapshotEventTests {
    private let address: UInt64 = 0xC000_0000_0001
    private var peer: PeerIdentifier { SessionBench.peer(address) }

    /// All events but those for sessions.
    private func others(_ bench: SessionBench) -> [SessionEvent] {
        bench.settle()
        return bench.takeAll().filter {
            switch $0 {
            case .adapterState, .connected, .disconnected, .discovered, .subscribed, .unsubscribed: false
            default: true
            }
        }
    }

    @Test func aLinkAsCentralIsPublishedFromItsBeginToItsEnd() throws {
        let bench = SessionBench.ready(centrals: 1)
        _ = bench.takeAll()
        for _ in 0..<2 {
            bench.connect(address, session: 1)
            let remembered = SessionEvent.remember(DeviceAddress(kind: .random, value: address), PeerNames())
            #expect(others(bench) == [.linkUp(peer, .central, mtu: 247), remembered])
            bench.run(.seconds(30))
            #expect(others(bench) == [])
            bench.controller.end(try #require(bench.controller.handles.first), 0x13)
            #expect(others(bench) == [.linkDown(peer, .central)])
        }
    }

    /// A peer that agrees on an ATT_MTU late, and then answers no request.
    @Test func aLateMTUAndTheEndByTheHostArePublished() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [.silent]
        bench.connect(address, session: 1)
        bench.run(.seconds(4))
        #expect(others(bench).first == .linkUp(peer, .central, mtu: 23))
        bench.controller.attribute([0x03, 100, 0], on: try #require(bench.controller.handles.first))
        #expect(others(bench) == [.mtuChanged(peer, .central, mtu: 100)])
        bench.run(.seconds(60))
        #expect(others(bench).suffix(2) == [.note(.linkEndedByHost(.attributeTimeout)), .linkDown(peer, .central)])
    }

    @Test func aLinkAsPeripheralIsPublishedFromItsBeginToItsEnd() {
        let bench = SessionBench.ready()
        bench.call { $0.openPeripheral(3, at: $1) }
        bench.run(.milliseconds(5))
        _ = bench.takeAll()
        for _ in 0..<2 {
            let handle = bench.controller.acceptLink(from: address)
            #expect(others(bench) == [.linkUp(peer, .peripheral, mtu: 23)])
            bench.controller.attribute([0x02, 100, 0], on: handle)
            let record = CentralRecord(identifier: peer, maximumUpdateLength: 97)
            #expect(
                others(bench) == [.mtuChanged(peer, .peripheral, mtu: 100), .maximumUpdateLengthChanged(record)])
            bench.controller.end(handle, 0x08)
            #expect(others(bench) == [.linkDown(peer, .peripheral)])
        }
    }

    /// A command that is longer than the link carries counts as sent, and is noted.
    @Test func aCommandThatCannotBeSentIsNoted() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        bench.run(.seconds(30))
        _ = bench.takeAll()
        for (count, isSent) in [(244, true), (245, false), (1, true)] {
            var batch = WriteCommandBatch()
            batch.append([UInt8](repeating: 0, count: count).span, handle: 9, to: peer, session: 1)
            bench.call { $0.write(batch, at: $1) }
            let note = SessionEvent.note(.writeCommandNotSent(.valueTooLong))
            #expect(others(bench) == (isSent ? [] : [note]) + [.commandsSent(peer, 1)])
        }
    }

    @Test func whatTheHostReportsIsNoted() {
        let bench = SessionBench.ready()
        for (event, note) in [
            (.controllerError(.leSetPHY, .commandDisallowed), .commandRefused(.leSetPHY, .commandDisallowed)),
            (.protocolViolation(nil, .malformedPacket), .protocolViolation(.malformedPacket)),
            (.scanningFailed(.commandDisallowed), .scanningRefused(.commandDisallowed)),
            (.advertisingChanged(.legacy, .connectionLimitExceeded), .advertisingRefused(.connectionLimitExceeded)),
        ] as [(HostEvent, SessionDiagnostic)] {
            _ = others(bench)
            bench.call { $0.handle(event, at: $1) }
            #expect(others(bench) == [.note(note)])
        }
    }

    /// A host that fails again as the adapter's state shows already.
    @Test func aRepeatedFailureIsNotedAsRepeated() {
        let bench = SessionBench()
        bench.controller.ignored = [0x0C03]
        for isRepeated in [false, true, true] {
            bench.attach()
            bench.run(.seconds(60))
            let failure = HostError.noAnswer(.reset)
            #expect(others(bench) == [.note(.failed(failure, isRepeated: isRepeated)), .failed(failure)])
            bench.call { $0.detach(at: $1) }
            #expect(others(bench) == [])
        }
    }
}
