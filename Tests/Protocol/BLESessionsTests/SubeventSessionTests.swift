import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Trains with responses of sessions, on virtual controllers. Session 10 sends, and sessions 11 and 12 of another device receive.
final class SubeventSessionTests {
    private typealias Entry = HCI.LESetPeriodicAdvertisingSubeventData.Entry

    private let pair = SessionPair()
    private let subevents = HCI.PeriodicSubevents(count: 3, interval: 16, slotDelay: 4, slotSpacing: 8, slotCount: 4)
    /// The subevents that each session has got, and the responses.
    private var received: [Int: Set<UInt8>] = [:]
    private var responses: [SubeventResponse] = []
    private var notices: [PeriodicNotice] = []
    private var lastPacket: PeriodicPacket?

    private func open() throws {
        pair.peripheral.sessions.openPeriodic(10, at: pair.now)
        for session in [11, 12] { pair.central.sessions.openPeriodic(session, at: pair.now) }
        pair.peripheral.sessions.startPeriodicAdvertising(
            PeriodicAdvertisement(data: [], sid: 5, interval: 80, subevents: subevents), session: 10, at: pair.now)
        try run(.milliseconds(500))
        #expect(notices.contains(.advertisingChanged(nil, isAdvertising: true, session: 10)))
    }

    /// Lets time pass. Session 10 gives data, and the others respond in the slots of their numbers from 11 on.
    private func run(_ span: TimeSpan) throws {
        let end = pair.now + span
        while pair.now < end {
            pair.run(.milliseconds(1))
            for event in pair.peripheral.take() {
                guard case .periodic(let notice) = event else { continue }
                switch notice {
                case .subeventsRequested(let start, let count, 10):
                    let entries = (0..<count).map { position in
                        Entry(
                            subevent: UInt8((Int(start) + position) % 3), responseSlotStart: 0, responseSlotCount: 4,
                            data: [2, 0xFF, 1])
                    }
                    pair.peripheral.sessions.setSubeventData(entries, session: 10, at: pair.now)
                case .response(_, let response, 10): responses.append(response)
                default: notices.append(notice)
                }
            }
            for event in pair.central.take() {
                if case .periodic(.report(_, let properties, let token, let session)) = event {
                    let packet = try #require(properties.packet)
                    received[session, default: []].insert(packet.subevent)
                    lastPacket = packet
                    pair.central.sessions.respond(
                        to: packet, in: packet.subevent, slot: UInt8(session - 11), [2, 0xFF, UInt8(session)],
                        token: token, session: session, at: pair.now)
                } else if case .periodic(let notice) = event {
                    notices.append(notice)
                }
            }
        }
    }

    private func choose(_ wanted: [UInt8], _ session: Int) {
        pair.central.sessions.chooseSubevents(
            wanted, includesTransmitPower: false, token: 1, session: session, at: pair.now)
    }

    /// The sessions that have chosen subevents of a train get its refusals, and no others.
    @Test func refusalsGoToTheSessionsThatChose() throws {
        try open()
        let own = pair.peripheral.sessions.host.ownAddress
        let address = try #require(own)
        for session in [11, 12] {
            pair.central.sessions.synchronize(
                PeriodicSyncRequest(address: address, sid: 5), token: 1, session: session, at: pair.now)
        }
        try run(.seconds(2))
        func isRefused(_ session: Int) -> PeriodicNotice {
            .responseRefused(.dataTooLong, token: 1, session: session)
        }
        for (chosen, refused) in [(11, [11]), (12, [11, 12])] {
            choose([0], chosen)
            try run(.seconds(1))
            let packet = try #require(lastPacket)
            notices = []
            // A response has at most 247 octets of data (Vol 4, Part E, 7.8.126).
            pair.central.sessions.respond(
                to: packet, in: packet.subevent, slot: 0, [UInt8](repeating: 0, count: 248), token: 1, session: chosen,
                at: pair.now)
            try run(.milliseconds(1))
            #expect(notices == refused.map(isRefused))
        }
    }

    /// Sessions that share a train get the subevents that they have chosen, and respond each for itself.
    @Test func sessionsShareATrain() throws {
        try open()
        let own = pair.peripheral.sessions.host.ownAddress
        let address = try #require(own)
        choose([0], 11)
        try run(.milliseconds(1))
        #expect(notices.last == .subeventsChosen(.noTrain, token: 1, session: 11))
        for round in 1...2 {
            notices = []
            for session in [11, 12] {
                pair.central.sessions.synchronize(
                    PeriodicSyncRequest(address: address, sid: 5), token: 1, session: session, at: pair.now)
            }
            try run(.seconds(2))
            let found = HCI.PeriodicSubevents(received: 3, interval: 16, slotDelay: 4, slotSpacing: 8)
            for session in [11, 12] {
                let properties = PeriodicSyncProperties(phy: .le1M, interval: 80, subevents: found)
                #expect(notices.contains(.established(properties, token: 1, session: session)), "round \(round)")
            }
            #expect(received.isEmpty)
            choose([0], 11)
            choose([1, 2], 12)
            try run(.seconds(2))
            for session in [11, 12] { #expect(notices.contains(.subeventsChosen(nil, token: 1, session: session))) }
            #expect(received == [11: [0], 12: [1, 2]])
            let places = Set(responses.map { [$0.subevent, $0.slot] })
            #expect(places == [[0, 0], [1, 1], [2, 1]] && responses.count > 30)
            // Another choice of one of them.
            choose([2], 11)
            try run(.milliseconds(300))
            (received, responses) = ([:], [])
            try run(.seconds(1))
            #expect(received == [11: [2], 12: [1, 2]])
            // The end of one does not end the other.
            pair.central.sessions.endSync(token: 1, session: 12, at: pair.now)
            try run(.milliseconds(300))
            received = [:]
            try run(.seconds(1))
            #expect(received == [11: [2]])
            pair.central.sessions.endSync(token: 1, session: 11, at: pair.now)
            try run(.milliseconds(300))
            (received, responses) = ([:], [])
            try run(.milliseconds(300))
            #expect(received.isEmpty && responses.isEmpty)
        }
    }
    /// Each choice has its own answer, also if another session chooses meanwhile. One that the controller refuses changes nothing.
    @Test func choicesThatCrossAreAnsweredOneByOne() throws {
        try open()
        let own = pair.peripheral.sessions.host.ownAddress
        let address = try #require(own)
        for session in [11, 12] {
            pair.central.sessions.synchronize(
                PeriodicSyncRequest(address: address, sid: 5), token: 1, session: session, at: pair.now)
        }
        try run(.seconds(2))
        func answers(_ session: Int) -> [PeriodicFailure?] {
            notices.compactMap {
                guard case .subeventsChosen(let failure, 1, session) = $0 else { return nil }
                return .some(failure)
            }
        }
        let refused = PeriodicFailure(.invalidHCICommandParameters)
        for round in 1...2 {
            notices = []
            // The train has three subevents.
            choose([4], 11)
            choose([1, 2], 12)
            choose([0], 11)
            choose([4], 11)
            choose([4], 12)
            try run(.milliseconds(300))
            #expect(answers(11) == [refused, nil, refused] && answers(12) == [nil, refused], "round \(round)")
            received = [:]
            try run(.seconds(1))
            #expect(received == [11: [0], 12: [1, 2]])
        }
        // Who ends its train gets no answer, and delays no other one.
        notices = []
        choose([1], 12)
        choose([2], 11)
        choose([0, 1], 12)
        pair.central.sessions.endSync(token: 1, session: 11, at: pair.now)
        try run(.milliseconds(300))
        #expect(answers(11) == [] && answers(12) == [nil, nil])
        received = [:]
        try run(.seconds(1))
        #expect(received == [12: [0, 1]])
    }
}
