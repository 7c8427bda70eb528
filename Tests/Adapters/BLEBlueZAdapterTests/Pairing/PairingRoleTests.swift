import BLEAdapter
import BLESecurity
import BLEWire
import BlueZBench
import SystemBus
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

@Suite struct PairingRoleTests {
    private let bench = PairingBench()
    private let session: any PairingSession
    private let log: PairingLog

    init() {
        bench.begin()
        (session, log) = bench.open()
    }

    private func calls(_ member: String) -> Int { bench.bluez.calls(of: member).count }

    // MARK: Pair

    @Test func pairEncryptsAndBonds() {
        let path = bench.device()
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"])
        #expect(calls("Device1.Pair") == 1)
        #expect(session.bonds.map(\.peer.identifier) == [bench.peer(path)] && session.bonds[0].peer.name == "lamp")
        // The keys are there.
        session.pair(bench.peer(path), minimum: .authenticated)
        bench.run()
        #expect(log.take() == ["paired unauthenticated 7"] && calls("Device1.Pair") == 1)
    }

    @Test func aPeerWithoutALinkDoesNotPair() {
        let path = bench.device()
        bench.bluez.dropLink(path, .remote)
        bench.run()
        session.pair(bench.peer(path), minimum: .unauthenticated)
        session.pair(PeerIdentifier(high: 0, low: 0), minimum: .unauthenticated)
        session.pair(PeerIdentifier(high: 100, low: 0xFFFF), minimum: .unauthenticated)
        bench.run()
        #expect(log.take() == Array(repeating: "failed disconnected", count: 3) && calls("Device1.Pair") == 0)
    }

    @Test(arguments: [
        (ScriptedFailure("AuthenticationFailed", ""), "failed remote(Unspecified Reason)"),
        (ScriptedFailure("AuthenticationTimeout", ""), "failed timeout"),
        (ScriptedFailure("AuthenticationCanceled", ""), "failed local(Unspecified Reason)"),
        (ScriptedFailure("AuthenticationRejected", ""), "failed local(Pairing Not Supported)"),
        (ScriptedFailure("ConnectionAttemptFailed", ""), "failed disconnected"),
        (ScriptedFailure("Failed", "Input/output error"), "failed local(Unspecified Reason)"),
        (ScriptedFailure("AlreadyExists", ""), "paired unauthenticated 7"),
        (ScriptedFailure("NotReady", ""), "failed disconnected"),
        (ScriptedFailure(full: "org.freedesktop.DBus.Error.UnknownObject", ""), "failed disconnected"),
        (ScriptedFailure(full: "x.y", ""), "failed disconnected"),
    ])
    func errorsOfPairAreReasons(failure: ScriptedFailure, line: String) {
        let path = bench.device { $0.pairing = .fails(failure) }
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(log.take() == [line] && calls("Device1.Pair") == 1)
    }

    @Test func aBusyDeviceIsAskedAgain() {
        let path = bench.device()
        bench.bluez.script("Device1.Pair", .fails(ScriptedFailure("InProgress", "")))
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run(.seconds(2))
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"] && calls("Device1.Pair") == 2)
        let other = bench.device("C0:00:00:00:00:02")
        bench.bluez.always("Device1.Pair", .fails(ScriptedFailure("InProgress", "")))
        session.pair(bench.peer(other), minimum: .unauthenticated)
        bench.run(.seconds(4))
        #expect(log.lines.isEmpty)
        bench.run(.seconds(2))
        #expect(log.take() == ["failed local(Busy)"] && calls("Device1.Pair") == 2 + 1 + PairingRecords.mostTries)
    }

    @Test func aPairingThatIsCancelledWhileItWaitsEnds() {
        let path = bench.device()
        bench.bluez.always("Device1.Pair", .fails(ScriptedFailure("InProgress", "")))
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run(.zero)
        session.cancelPairing(with: bench.peer(path))
        bench.run(.seconds(10))
        #expect(log.take() == ["failed local(Unspecified Reason)"] && calls("Device1.Pair") == 1)
        #expect(calls("Device1.CancelPairing") == 0)
    }

    @Test func oneAnswerIsForAllSessions() {
        let path = bench.device()
        let (other, otherLog) = bench.open()
        session.pair(bench.peer(path), minimum: .unauthenticated)
        other.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(calls("Device1.Pair") == 1)
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"])
        #expect(otherLog.take() == ["bond unauthenticated", "paired unauthenticated 7"])
    }

    @Test func cancelEndsOnlyAPairingOfThisProgram() {
        let path = bench.device { $0.pairing = .never }
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        session.cancelPairing(with: bench.peer(path))
        bench.run()
        #expect(log.take() == ["failed local(Unspecified Reason)"] && calls("Device1.CancelPairing") == 1)
        // Without one, bluetoothd would remove the keys.
        session.cancelPairing(with: bench.peer(path))
        bench.run()
        #expect(log.take() == [] && calls("Device1.CancelPairing") == 1)
    }

    @Test func aPairWithoutAnAnswerEnds() {
        let path = bench.device()
        bench.bluez.script("Device1.Pair", .hangs)
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run(.seconds(179))
        #expect(log.lines.isEmpty)
        bench.run(.seconds(1))
        #expect(log.take() == ["failed timeout"] && calls("Device1.CancelPairing") == 0)
    }

    @Test func theLinkEndsInMidPairing() {
        let path = bench.device { $0.pairing = .never }
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        bench.bluez.dropLink(path, .timeout)
        bench.run()
        #expect(log.take() == ["failed disconnected"])
    }

    @Test func bluetoothdEndsInMidPairing() {
        session.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay))
        bench.run(.zero)
        let path = bench.device { $0.pairing = .asks(.confirmation(42)) }
        let peer = bench.peer(path)
        session.pair(peer, minimum: .unauthenticated)
        bench.run()
        bench.bluez.end()
        bench.role.end(.resetting)
        bench.run(.seconds(200))
        #expect(log.take() == ["compare 000042? lamp", "dismissed 0", "failed disconnected"])
        #expect(session.bonds.isEmpty)
        session.answer(log.questions[0], .accept(true))
        session.pair(peer, minimum: .unauthenticated)
        bench.run()
        #expect(log.take() == ["failed disconnected"])
        bench.bluez.start()
        bench.run()
        bench.begin()
        #expect(Array(bench.bluez.capabilities.values) == ["KeyboardDisplay"])
    }

    // MARK: The bearer

    /// A device with both bearers.
    private func dualModeDevice(_ properties: BusProperties = [:]) -> String {
        bench.device("00:00:00:00:00:05") {
            $0.addressType = "public"
            $0.properties = ["Class": .uint32(0x240404), "AdvertisingFlags": .octets([0x02])]
                .merging(properties) { $1 }
        }
    }

    @Test func theBearerIsChosenWhereThatIsPossible() {
        let path = dualModeDevice(["PreferredBearer": .string("bredr")])
        bench.bluez.always("Properties.Set", .answers([]))
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        let sets = bench.bluez.calls(of: "Properties.Set").map(\.arguments)
        #expect(
            sets
                == ["le", "bredr"].map { bearer in
                    [.string(BlueZ.device), .string("PreferredBearer"), .variant(.string(bearer))]
                })
        #expect(
            bench.bluez.calls.map(\.method).filter { $0 != "ObjectManager.GetManagedObjects" }
                == [
                    "AgentManager1.RegisterAgent", "Properties.Set", "Device1.Pair", "AgentManager1.UnregisterAgent",
                    "Properties.Set",
                ])
        // Whose keys they are is not known.
        #expect(log.take() == ["bond none", "paired none 0"] && bench.logger.lines.isEmpty)
    }

    @Test func aBearerThatCannotBeChosenIsLoggedOnce() {
        let path = dualModeDevice()
        bench.bluez.script("Device1.Pair", .fails(ScriptedFailure("AuthenticationFailed", "")))
        for _ in 0..<2 {
            session.pair(bench.peer(path), minimum: .unauthenticated)
            bench.run()
        }
        #expect(log.take() == ["failed remote(Unspecified Reason)", "bond none", "paired none 0"])
        #expect(bench.logger.lines.count == 1 && calls("Properties.Set") == 0)
    }

    // MARK: Bonds

    @Test func bondsOfOtherProgramsAreTold() {
        let path = bench.device()
        bench.bluez.setPaired(path)
        bench.run()
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"] && session.bonds.count == 1)
        let peer = bench.peer(path)
        session.unpair(peer)
        bench.run(.seconds(3))
        #expect(log.take() == ["no bond"] && session.bonds.isEmpty && calls("Adapter1.RemoveDevice") == 1)
        session.unpair(PeerIdentifier(high: 101, low: 0xC000_0000_0002))
        bench.run(.seconds(3))
        #expect(log.take() == [] && calls("Adapter1.RemoveDevice") == 1)
    }

    @Test(arguments: [66, 64, 87])
    func bondsOfEarlierAreListed(version: Int) {
        let bench = PairingBench(version: version)
        for number in [2, 1] {
            var device = ScriptedDevice("C0:00:00:00:00:0\(number)")
            device.isPaired = number == 1
            _ = bench.bluez.addDevice(device)
        }
        var headset = ScriptedDevice("00:00:00:00:00:05")
        (headset.addressType, headset.isPaired) = ("public", true)
        headset.properties = ["Class": .uint32(0x240404)]
        _ = bench.bluez.addDevice(headset)
        bench.begin()
        let (session, log) = bench.open()
        #expect(session.bonds.map(\.address.value) == [0xC000_0000_0001] && log.lines.isEmpty)
        bench.bluez.vanish("/org/bluez/hci0/dev_C0_00_00_00_00_01")
        bench.run()
        #expect(session.bonds.isEmpty && log.take() == ["no bond"])
    }

    @Test func aPairingTellsTheIdentity() {
        let path = bench.device("40:00:00:00:00:09")
        let peer = bench.peer(path)
        session.pair(peer, minimum: .unauthenticated)
        bench.run(.milliseconds(100))
        bench.bluez.set(
            path, BlueZ.device, ["Address": .string("C0:00:00:00:00:07"), "AddressType": .string("random")])
        bench.run()
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"])
        #expect(session.bonds.map(\.address.value) == [0xC000_0000_0007])
        // The device is found by both.
        session.pair(peer, minimum: .unauthenticated)
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(log.take() == Array(repeating: "paired unauthenticated 7", count: 2))
    }

    // MARK: What bluetoothd cannot do

    @Test func whatIsNotPossibleIsLoggedOnce() {
        var made: OutOfBandBlock?? = .none
        let box = Box()
        for _ in 0..<2 {
            session.setPolicy(PairingPolicy())
            session.setOutOfBandData(nil, of: nil)
            session.makeOutOfBandData(.secureConnections) { box.results.append($0) }
        }
        bench.run()
        made = box.results.first
        #expect(made == .some(nil) && box.results.count == 2 && bench.logger.lines.count == 2)
    }

    private final class Box: @unchecked Sendable {
        // `@unchecked Sendable`: used on the thread of the test only.
        var results: [OutOfBandBlock?] = []
    }
}
