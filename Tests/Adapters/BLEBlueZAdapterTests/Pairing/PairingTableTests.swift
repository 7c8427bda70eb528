import BLEAdapter
import BLESecurity
import BLEWire
import SystemBus
import Testing

@testable import BLEBlueZAdapter

@Suite struct PairingTableTests {
    private func call(_ member: String, _ arguments: [BusValue]) -> AgentCall {
        AgentCall(.call(":1.1", "/agent", BlueZ.agent, member, arguments))
    }

    @Test(
        arguments: [
            ("RequestPasskey", []), ("RequestPasskey", [BusValue.string("/device")]),
            ("RequestConfirmation", [.path("/d")]),
            ("RequestConfirmation", [.path("/d"), .uint16(1)]),
            ("RequestConfirmation", [.path("/d"), .uint32(1_000_000)]),
            ("DisplayPasskey", [.path("/d"), .uint32(1)]),
            ("DisplayPasskey", [.path("/d"), .uint32(.max), .uint16(0)]),
            ("RequestAuthorization", [.uint32(1)]), ("Other", [.path("/d")]),
        ] as [(String, [BusValue])])
    func callsWithOtherArgumentsAreInvalid(member: String, arguments: [BusValue]) {
        #expect(call(member, arguments) == .invalid)
    }

    @Test func passkeysAreNotInDescriptions() {
        let display = call("DisplayPasskey", [.path("/d"), .uint32(123_456), .uint16(0)])
        #expect(!"\(display)".contains("123456"))
    }

    @Test func questionsHaveALimit() {
        var table = AgentTable()
        _ = table.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay), session: 1)
        for number in 0..<AgentTable.limit + 5 {
            let decision = table.decide(
                .requestPasskey("/d\(number)"), proposal: { _ in nil }, isServing: false, isLE: { _ in true })
            if case .ask = decision { #expect(number < AgentTable.limit) } else { #expect(decision == .reply(.reject)) }
        }
        // Another question about a device replaces the earlier one.
        guard
            case .ask(let question, .enterPasskey, let void) = table.decide(
                .requestPasskey("/d0"), proposal: { _ in nil }, isServing: false, isLE: { _ in true })
        else {
            Issue.record("The question is not asked.")
            return
        }
        #expect(void.map(\.device) == ["/d0"] && void[0].number != question.number)
        #expect(table.questions.count == AgentTable.limit)
    }

    @Test func cancelIsForQuestionsThatWait() {
        var table = AgentTable()
        _ = table.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay), session: 1)
        func decide(_ call: AgentCall) -> AgentTable.Decision {
            table.decide(call, proposal: { _ in nil }, isServing: false, isLE: { _ in true })
        }
        _ = decide(.displayPasskey("/a", Passkey(value: 1), entered: 0))
        _ = decide(.requestPasskey("/b"))
        for device in ["/b", "/a"] {
            let waiting = table.questions.filter { $0.device == device }
            #expect(waiting.count == 1 && decide(.cancel) == .void(waiting))
        }
        #expect(table.questions.isEmpty && decide(.cancel) == .void([]))
    }

    @Test func anAgentIsRegisteredAnewForAnotherCapability() {
        var registration = AgentRegistration()
        #expect(registration.next() == nil)
        registration.want(.displayOnly)
        #expect(registration.next() == .register("DisplayOnly") && registration.next() == nil)
        registration.want(.keyboardOnly)
        #expect(registration.next() == nil)
        registration.finished()
        #expect(registration.next() == .unregister)
        registration.want(.displayOnly)
        registration.finished()
        #expect(registration.next() == .register("DisplayOnly"))
        registration.finished()
        #expect(registration.next() == nil)
        registration.lost()
        #expect(registration.next() == .register("DisplayOnly"))
        registration.finished()
        registration.want(nil)
        #expect(registration.next() == .unregister)
    }

    private func device(
        _ properties: BusProperties = [:], bearers: [String: BusProperties] = [:]
    ) -> PairingDevice? {
        let base: BusProperties = ["Address": .string("00:00:00:00:00:05"), "AddressType": .string("public")]
        var objects = BlueZObjects()
        objects.replace([
            "/d": bearers.merging([BlueZ.device: base.merging(properties) { $1 }]) { $1 }
        ])
        return PairingDevice("/d", objects)
    }

    @Test func theBearersOfADevice() {
        let classOfDevice: BusProperties = ["Class": .uint32(1)]
        #expect(device()?.bearers == .le)
        #expect(device(classOfDevice)?.bearers == .classic)
        #expect(device(classOfDevice.merging(["AdvertisingFlags": .octets([2])]) { $1 })?.bearers == .both)
        #expect(device(classOfDevice.merging(["AdvertisingFlags": .octets([6])]) { $1 })?.bearers == .le)
        #expect(device(classOfDevice.merging(["AdvertisingFlags": .octets([])]) { $1 })?.bearers == .classic)
        #expect(device(classOfDevice.merging(["AddressType": .string("random")]) { $1 })?.bearers == .le)
        // From 5.84 on they are told.
        #expect(device(bearers: [BlueZ.bearerLE: [:]])?.bearers == .le)
        #expect(device(bearers: [BlueZ.bearerClassic: [:]])?.bearers == .classic)
        let both = device(bearers: [BlueZ.bearerClassic: [:], BlueZ.bearerLE: ["Paired": .bool(true)]])
        #expect(both?.bearers == .both && both?.isLEPaired == true)
    }

    @Test func theLinkIsThatOfLE() {
        let connected: BusProperties = ["Connected": .bool(true)]
        #expect(device(connected)?.isConnected == true)
        #expect(device(connected, bearers: [BlueZ.bearerLE: [:]])?.isConnected == true)
        #expect(device(connected, bearers: [BlueZ.bearerLE: ["Connected": .bool(false)]])?.isConnected == false)
    }

    @Test func bondsHaveALimit() {
        var objects = BlueZObjects()
        var devices = PairingDevices()
        devices.begin("/org/bluez/hci0", objects)
        for number in 0..<PairingDevices.mostBonds + 3 {
            let path = "/org/bluez/hci0/dev\(number)"
            let properties: BusProperties = [
                "Address": .string("00:00:00:00:00:05"), "Paired": .bool(true), "Bonded": .bool(true),
            ]
            for change in objects.apply(.added(path: path, interfaces: [BlueZ.device: properties])) {
                _ = devices.apply(change, objects)
            }
        }
        #expect(devices.bonds.count == PairingDevices.mostBonds)
        devices.begin("/org/bluez/hci0", objects)
        #expect(devices.bonds.count == PairingDevices.mostBonds)
    }

    @Test func onlyKeysOfLEAreBonds() {
        let paired: BusProperties = ["Paired": .bool(true), "Bonded": .bool(true)]
        #expect(device(paired)?.isLEBond == true)
        #expect(device(["Paired": .bool(true)])?.isLEBond == true)
        #expect(device(["Paired": .bool(true), "Bonded": .bool(false)])?.isLEBond == false)
        #expect(device(["Bonded": .bool(true)])?.isLEBond == false)
        #expect(device(paired, bearers: [BlueZ.bearerClassic: [:]])?.isLEBond == false)
        let both: [String: BusProperties] = [BlueZ.bearerClassic: [:], BlueZ.bearerLE: ["Paired": .bool(false)]]
        #expect(device(paired, bearers: both)?.isLEBond == false)
        #expect(device(["Address": .uint32(1)]) == nil)
    }

    @Test func evidenceHasALimit() throws {
        var records = PairingRecords()
        let device = try #require(self.device(["Paired": .bool(true)]))
        for number in 0..<PairingRecords.limit + 5 {
            records.note(.passkey, of: "/\(number)")
            records.confirm("/\(number)")
        }
        #expect(records.security(of: "/0", device).level == .authenticated)
        #expect(records.security(of: "/\(PairingRecords.limit)", device).level == .unauthenticated)
        records.begin("/0", PeerIdentifier(high: 0, low: 0))
        #expect(records.security(of: "/0", device).level == .unauthenticated)
    }
}
