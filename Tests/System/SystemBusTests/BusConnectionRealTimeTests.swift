import BLEAdapter
import BLETransport
import BusBench
import Dispatch
import Glibc
import TestConditions
import Testing

@testable import SystemBus

/// Connections to a `dbus-daemon` (package dbus) that each test starts for itself.
@Suite(.timeLimit(.minutes(10))) struct BusConnectionRealTimeTests {
    private let daemon: PrivateBus

    init() throws { daemon = try PrivateBus() }

    @Test func anAbstractAddressAndASecondAddressAreTried() async throws {
        let abstract = try PrivateBus(isAbstract: true)
        let client = BusClient(.path("/nowhere/bus"), .abstract("nothing-\(getpid())"), abstract.address)
        _ = try await client.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
        ).get()
        await client.close()
    }

    /// A socket is writable also if the system has no memory for its octets: the carrier pauses instead of trying again at once.
    @Test func aSystemWithoutMemoryIsNotAskedAgainAtOnce() async throws {
        let queue = DispatchQueue(label: "bus")
        let attempts = Collected<Int>()
        let carrier = BusSocketCarrier(to: [daemon.address], queue: queue) { socket, output, start in
            attempts.add(start)
            return attempts.all.count <= 3 ? -Int64(ENOBUFS) : socket.write(output, from: start)
        }
        let client = BusClient(BusConnection(over: carrier), queue)
        let reply = await client.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
        _ = try reply.get()
        // Three pauses, then the lines of the authentication, Hello and the call.
        #expect(attempts.all.count < 12)
        await client.close()
    }

    @Test func resultsOfWriting() throws {
        #expect(try BusSocket.written(5) == .octets(5))
        #expect(try BusSocket.written(-Int64(EAGAIN)) == .full)
        #expect(try BusSocket.written(-Int64(ENOBUFS)) == .later)
        #expect(throws: BusCallError.self) { try BusSocket.written(-Int64(EPIPE)) }
    }

    @Test func aMissingBusIsNamed() async throws {
        let client = BusClient(.path("/nowhere/bus"))
        let answer = await client.call("a.b", "/", "a.b", "C")
        #expect(answer == .failure(.noBus("/nowhere/bus", "there is no socket")))
        let text = "\(answer)"
        #expect(text.contains("/nowhere/bus"))
        #expect("\(BusCallError.noBus("/nowhere/bus", "x"))".hasSuffix("apt-get install dbus"))
        #expect(await BusClient().call("a.b", "/", "a.b", "C") == .failure(.unreadableAddress("")))
        #expect(
            await BusClient(.unreadable("tcp:host=x")).call("a.b", "/", "a.b", "C")
                == .failure(.unreadableAddress("tcp:host=x")))
        #expect("\(BusCallError.unreadableAddress("tcp:host=x"))".hasSuffix("unset DBUS_SYSTEM_BUS_ADDRESS"))
    }

    @Test func aFloodOfSignalsFillsNoQueue() async throws {
        let count = 20_000
        let sender = BusClient(daemon.address)
        let receiver = BusClient(daemon.address)
        // Count, the last number, and whether the order is kept.
        let seen = Lock<(count: Int, isOrdered: Bool)>((0, true))
        let failure = await receiver.subscribe(BusMatch(interface: "test.Flood")) { message in
            seen.withLock { seen in
                seen.isOrdered = seen.isOrdered && message.body.first == .uint32(UInt32(seen.count))
                seen.count += 1
            }
        }
        #expect(failure == nil)
        let filling = [UInt8](repeating: 7, count: 2000)
        let most = Lock(0)
        let sent = Lock(0)
        @Sendable func send(_ bus: BusConnection) {
            while sent.withLock({ $0 }) < count, !bus.isBusy {
                let number = sent.withLock { $0 }
                guard
                    (try? bus.emit(.signal("/", "test.Flood", "S", [.uint32(UInt32(number)), .octets(filling)]))) != nil
                else {
                    Issue.record("a signal was refused below the mark")
                    return
                }
                sent.withLock { $0 += 1 }
                let queued = bus.queuedOctets
                most.withLock { $0 = max($0, queued) }
            }
        }
        await sender.run { bus in
            bus.onDrain = { send(bus) }
            send(bus)
        }
        #expect(await eventually { seen.withLock { $0.count } == count })
        #expect(seen.withLock { $0.isOrdered })
        #expect(most.withLock { $0 } <= BusSession.Limit.mark + 4096)
        await sender.run { bus in bus.onDrain = nil }
        await sender.close()
        await receiver.close()
    }
}
