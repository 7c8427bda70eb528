import BLEAdapter
import BLEController
import BLESimulator
import BLEWire
import Testing

@testable import BLERuntime

/// What devices cost that have nothing to do.
struct IdleDevicesTests {
    /// A host that says nothing but at certain times, and counts how often it is called.
    private final class CountingMember: RadioMember {
        let scene: RadioScene
        let number: Int
        var interval: TimeSpan?
        var visits = 0
        private var next = Instant.zero

        init(_ scene: RadioScene, _ number: Int, interval: TimeSpan? = nil) {
            self.scene = scene
            self.number = number
            self.interval = interval
        }

        func start() {
            guard let interval else { return }
            next += interval
            scene.wake(number, at: next)
        }

        func handleTimeout() {
            visits += 1
            start()
            var packet: [UInt8] = []
            try! packet.append(command: HCI.ReadBDADDR())
            scene.receive(packet.span, from: number)
        }

        func receive(_ packet: Span<UInt8>) { visits += 1 }
        func flush() { visits += 1 }
    }

    @Test(arguments: [10, 1000]) func aStepVisitsThoseAloneWhoHaveSomethingToDo(idle: Int) {
        let scene = RadioScene(seed: 1, configuration: RadioConfiguration())
        var members: [CountingMember] = []
        for number in 0...idle {
            let member = CountingMember(scene, number, interval: number == idle / 2 ? .milliseconds(10) : nil)
            scene.add(number, ControllerConfiguration(), at: .origin) { member }
            member.start()
            members.append(member)
        }
        var steps = 0
        while let deadline = scene.nextDeadline, deadline <= Instant.zero + .seconds(1) {
            scene.advance(to: deadline)
            scene.settle()
            steps += 1
        }
        #expect(steps == 100)
        // The timeout and its flush, the answer and its flush.
        #expect(members[idle / 2].visits == 400)
        for member in members where member.interval == nil { #expect(member.visits == 0) }
    }

    @Test func whoEndsIsNotWoken() {
        let scene = RadioScene(seed: 1, configuration: RadioConfiguration())
        let member = CountingMember(scene, 0, interval: .milliseconds(10))
        scene.add(0, ControllerConfiguration(), at: .origin) { member }
        member.start()
        scene.remove(0)
        #expect(scene.nextDeadline == nil)
        scene.wake(0, at: .zero)
        #expect(scene.nextDeadline == nil)
    }

    @Test func aWakeTableIsSortedAndHoldsEachOnce() {
        var random = SeededRandom(seed: 7)
        var table = WakeTable()
        var expected: [Int: Instant] = [:]
        for _ in 0..<2000 {
            let number = Int(random.next() % 50)
            let time: Instant? = random.next() % 4 == 0 ? nil : Instant(nanoseconds: Int64(random.next() % 100))
            table.set(number, to: time)
            expected[number] = time
            #expect(table.first == expected.values.min())
            if random.next() % 16 == 0 {
                let limit = Instant(nanoseconds: Int64(random.next() % 100))
                var due: [Int] = []
                table.takeDue(through: limit, into: &due)
                let wanted = expected.filter { $0.value <= limit }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                #expect(due == wanted.map(\.key))
                for number in due { expected[number] = nil }
            }
        }
    }
}
