import BLEWire
import Testing

@testable import BLEHost

struct ViolationReporterTests {
    @Test func aRepeatedViolationIsReportedOnce() {
        var reporter = ViolationReporter()
        #expect(reporter.admits(.signalling) == true)
        #expect(reporter.admits(.signalling) == false)
        #expect(reporter.admits(.attributeBearer) == true)
        #expect(reporter.admits(.signalling) == true)
    }

    @Test func alternatingViolationsEnd() {
        var reporter = ViolationReporter()
        let admitted = (0..<100).count { reporter.admits($0 % 2 == 0 ? .signalling : .attributeBearer) }
        #expect(admitted == ViolationReporter.limit)
    }
}

struct UnknownLinksTests {
    @Test func theThirdUnknownLinkRecovers() {
        var connections = ConnectionTable()
        #expect(connections.dataOfUnknownLink() == .disconnect)
        connections.endsUnknownLink()
        #expect(connections.dataOfUnknownLink() == .none, "its Disconnect is under way")
        connections.unknownLinkEnded()
        #expect(connections.dataOfUnknownLink() == .disconnect)
        #expect(connections.dataOfUnknownLink() == .recover)
        connections.linkReported()
        #expect(connections.dataOfUnknownLink() == .disconnect)
    }

    @Test func anAttemptIsPostponedOnce() {
        var connections = ConnectionTable()
        let peer = DeviceAddress(kind: .public, value: 7)
        connections.postpone(peer, heardOn: nil)
        connections.postpone(peer, heardOn: .leCoded)
        #expect(connections.takePostponed(peer)?.phy == .leCoded)
        #expect(connections.takePostponed(peer) == nil)
    }
}

struct CommandPumpTests {
    @Test func theDeadlineFollowsTheFirstCommand() {
        var pump = CommandPump(timeout: .seconds(2))
        var packets: [UInt8] = []
        #expect(pump.deadline == nil && !pump.hasChanged)
        pump.enqueue(HCI.Reset(), for: .startUp)
        #expect(pump.hasChanged && pump.deadline == nil, "not sent yet")
        pump.pump(into: &packets, at: .zero)
        #expect(!pump.hasChanged && pump.deadline == .zero + .seconds(2))
        #expect(packets == [1, 3, 12, 0])
        let early = pump.expire(at: .zero + .seconds(1))
        #expect(early?.opcode == nil, "the command has time left")
        let expired = pump.expire(at: .zero + .seconds(2))
        #expect(expired?.opcode == .reset && expired?.purpose == .startUp)
        #expect(pump.deadline == nil)
    }

    @Test func statusEndsOnlyTheCommandsWithoutCommandComplete() {
        var pump = CommandPump(timeout: .seconds(2))
        var packets: [UInt8] = []
        pump.enqueue(HCI.Reset(), for: .startUp)
        pump.pump(into: &packets, at: .zero)
        let early = pump.answered(HCI.CommandStatus(status: .success, numberOfCommandPackets: 1, opcode: .reset))
        guard case .creditsOnly = early else {
            Issue.record("the command has ended")
            return
        }
        let late = pump.answered(
            HCI.CommandStatus(status: .commandDisallowed, numberOfCommandPackets: 1, opcode: .reset))
        guard case .command(let entry) = late else {
            Issue.record("the command has not ended")
            return
        }
        #expect(entry.opcode == .reset)
    }
}

struct HostLifecycleTests {
    private static func failed(_ lifecycle: inout HostLifecycle, _ seconds: Int) -> HostLifecycle.Recovery {
        lifecycle.failed(wasPoweringOff: false, at: .zero + .seconds(seconds))
    }

    @Test func failuresInARowEndTheHost() {
        var configuration = HostConfiguration()
        configuration.startAttempts = 3
        var lifecycle = HostLifecycle(configuration: configuration)
        #expect(!lifecycle.hasFailedRecently(at: .zero))
        #expect(Self.failed(&lifecycle, 0) == .restart)
        #expect(lifecycle.hasFailedRecently(at: .zero + .seconds(59)))
        #expect(!lifecycle.hasFailedRecently(at: .zero + .seconds(60)))
        #expect(Self.failed(&lifecycle, 59) == .restart)
        #expect(Self.failed(&lifecycle, 60) == .end)
    }

    @Test func aLaterFailureCountsAsTheFirst() {
        var lifecycle = HostLifecycle(configuration: HostConfiguration())
        for minute in 0..<10 { #expect(Self.failed(&lifecycle, 60 * minute) == .restart) }
    }

    @Test func aFailureDuringPowerOffEndsInOff() {
        var lifecycle = HostLifecycle(configuration: HostConfiguration())
        lifecycle.stop(at: .zero)
        #expect(lifecycle.isPoweringOff && lifecycle.deadline == .zero + .seconds(1))
        #expect(lifecycle.failed(wasPoweringOff: lifecycle.isPoweringOff, at: .zero) == .off)
        #expect(lifecycle.isOff && lifecycle.deadline == nil)
    }
}
