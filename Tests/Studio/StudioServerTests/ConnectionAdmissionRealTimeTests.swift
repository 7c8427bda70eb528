import Glibc
import Testing

@testable import StudioServer

@Suite(.timeLimit(.minutes(10))) struct ConnectionAdmissionRealTimeTests {
    /// `#expect` takes no expression that changes a value.
    private func expect(_ isTrue: Bool, _ location: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: location)
    }

    private typealias Table = ConnectionAdmission<Int>

    @Test func theOldestStrangerMakesRoom() {
        var table = Table()
        for number in 0..<64 { expect(table.admit(number, from: .unknown) == nil) }
        expect(table.admit(1000, from: .unknown) == 0)
        expect(table.admit(1001, from: .unknown) == 1)
        #expect(table.count == 64)
        table.remove(5)
        expect(table.admit(1002, from: .unknown) == nil)
    }

    @Test func noStrangerEndsAConnectionThatShowedTheToken() {
        var table = Table()
        for number in 0..<4 {
            expect(table.admit(number, from: .user(1)) == nil)
            expect(table.recognize(number) == nil)
        }
        expect(table.openPage(0))
        var ended = 0
        for number in 100..<3000 {
            if let number = table.admit(number, from: .user(1)) {
                ended += 1
                #expect(number >= 100)
            }
        }
        #expect(ended > 2000, "\(ended)")
        #expect((0..<4).map { table.standing(of: $0) } == [.page, .known, .known, .known])
    }

    @Test func aFloodDisplacesItself() {
        var table = Table()
        // The page's user has opened a connection and not sent a request yet.
        expect(table.admit(0, from: .user(1000)) == nil)
        for number in 1..<3000 { expect(table.admit(number, from: .user(1001)) != 0) }
        // Two machines: the one with more strangers loses one.
        var other = Table()
        for number in 0..<64 {
            _ = other.admit(number, from: .network([10, 0, 0, number.isMultiple(of: 3) ? 1 : 2]))
        }
        expect(other.admit(1000, from: .network([10, 0, 0, 1])) == 1)
    }

    @Test func knownConnectionsAndPagesAreBounded() {
        var table = Table()
        for number in 0..<48 {
            _ = table.admit(number, from: .unknown)
            expect(table.recognize(number) == nil)
        }
        _ = table.admit(1000, from: .unknown)
        expect(table.recognize(1000) == 0)
        expect(table.recognize(1000) == nil)
        for number in 1...16 { expect(table.openPage(number)) }
        expect(!table.openPage(1000))
        table.remove(1)
        expect(table.openPage(1000))
        expect(!table.openPage(7777))
        expect(table.recognize(7777) == nil)
    }

    /// One second of virtual time: strangers arrive each 100 us, and stay. The page opens a connection each 50 ms, sends its request 2 ms
    /// later and reads for 100 ms.
    @Test func thePageWorksDuringAFlood() {
        enum Event { case stranger, page, request, answered }
        var events: [(time: Int, event: Event, identifier: Int)] = []
        for number in 0..<10_000 { events.append((number * 100, .stranger, 100_000 + number)) }
        for number in 0..<20 {
            let start = number * 50_000 + 50
            events += [(start, .page, number), (start + 2000, .request, number), (start + 102_000, .answered, number)]
        }
        events.sort { $0.time < $1.time }
        var table = Table()
        var (answered, ended) = (0, Set<Int>())
        for (_, event, identifier) in events {
            switch event {
            case .stranger: if let out = table.admit(identifier, from: .user(1000)) { ended.insert(out) }
            case .page: if let out = table.admit(identifier, from: .user(1000)) { ended.insert(out) }
            case .request: if let out = table.recognize(identifier) { ended.insert(out) }
            case .answered:
                if table.standing(of: identifier) == .known { answered += 1 }
                table.remove(identifier)
            }
        }
        #expect(answered == 20)
        #expect(ended.allSatisfy { $0 >= 100_000 })
        #expect(table.count <= Table.strangerLimit)
    }

    @Test func theKernelTellsTheUserOfAConnection() async throws {
        // Some containers have no such interface. The address is then the source.
        let probe = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 4)
        if probe >= 0 { close(probe) }
        let users = SocketUsers()
        #expect((users != nil) == (probe >= 0))
        let server = try StudioWebServer(hub: StudioHub())
        let (connection, port) = try await onThread {
            let connection = try RawConnection(port: server.port)
            return (connection, connection.localPort)
        }
        let source = ConnectionSource(
            peer: ("127.0.0.1", port), server: ("127.0.0.1", server.port), users: users)
        #expect(source == (users == nil ? .network([127, 0, 0, 1]) : .user(geteuid())))
        // A socket that does not exist has no user.
        let other = ConnectionSource(peer: ("127.0.0.1", 1), server: ("127.0.0.1", server.port), users: users)
        #expect(other == .network([127, 0, 0, 1]))
        withExtendedLifetime(connection) {}
    }

    /// The end of a connection to a socket that listens is found from that side only.
    @Test func theKernelIsAskedForTheOtherEnd() throws {
        let server = try StudioWebServer(hub: StudioHub())
        // check-tests: exit: some containers have no such interface.
        guard let users = SocketUsers() else { return }
        let address: [UInt8] = [127, 0, 0, 1]
        #expect(users.owner(of: (address, server.port), connectedTo: (address, 1)) == geteuid())
        #expect(users.owner(of: (address, 1), connectedTo: (address, server.port)) == nil)
    }

    /// struct nlmsghdr and struct inet_diag_msg (sock_diag(7)). An answer that is shorter, or an error, names no user.
    @Test func theUserIsInAWholeAnswer() {
        var answer = [UInt8](repeating: 0xFF, count: 1024)
        answer.replaceSubrange(4..<6, with: [20, 0])
        answer.replaceSubrange(80..<84, with: withUnsafeBytes(of: 70_000 as UInt32, Array.init))
        for (count, user) in [(-1, nil), (0, nil), (87, nil), (88, 70_000), (96, 70_000), (1024, 70_000)]
            as [(Int, UInt32?)]
        {
            #expect(SocketUsers.user(in: answer, count: count) == user, "\(count)")
        }
        for (index, octet) in [(4, 2), (4, 21), (5, 1)] as [(Int, UInt8)] {
            var other = answer
            other[index] = octet
            #expect(SocketUsers.user(in: other, count: 1024) == nil)
        }
    }

    @Test func aMachineHasOneSourceForAllItsIPv6Addresses() {
        func source(_ host: String) -> ConnectionSource {
            ConnectionSource(peer: (host, 1), server: ("::", 8420), users: nil)
        }
        #expect(source("2001:db8:1:2::1") == source("2001:db8:1:2:ffff::9"))
        #expect(source("2001:db8:1:2::1") != source("2001:db8:1:3::1"))
        #expect(source("fe80::1%eth0") == source("fe80::2%eth0"))
        #expect(source("10.0.0.1") != source("10.0.0.2"))
        #expect(source("no address") == .unknown)
    }
}
