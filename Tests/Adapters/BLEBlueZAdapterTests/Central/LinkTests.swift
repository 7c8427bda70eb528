import BLEAdapter
import BLEWire
import BlueZBench
import SystemBus
import Testing

@testable import BLEBlueZAdapter

struct LinkTests {
    private func connect(_ bench: CentralBench, _ options: ConnectionOptions = ConnectionOptions()) {
        bench.session?.connect(bench.peer, options: options)
    }

    @Test func aLinkIsReportedWithItsServicesAndItsMTU() {
        let bench = CentralBench.on()
        bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench)
        bench.run(.milliseconds(250))
        #expect(bench.lines() == [] && bench.session?.maximumTransmissionUnit(of: bench.peer) == nil)
        bench.run(.milliseconds(100))
        #expect(bench.lines() == ["connected strap"])
        #expect(bench.session?.maximumTransmissionUnit(of: bench.peer) == 517)
    }

    /// A version that does not tell the MTU tells it with the first socket.
    @Test func olderVersionsTellTheMTUWithTheSocket() {
        let bench = CentralBench.on(version: 61)
        let path = bench.connected()
        #expect(bench.session?.maximumTransmissionUnit(of: bench.peer) == 23)
        let handle = bench.handle(path, CentralBench.measurement)
        #expect(bench.perform(.setNotify(valueHandle: handle, end: .max, mode: .notification)) == ["done"])
        #expect(bench.session?.maximumTransmissionUnit(of: bench.peer) == 517)
    }

    @Test func aDeviceThatBluetoothdDoesNotKnowIsSearchedFor() {
        let bench = CentralBench.on()
        connect(bench)
        bench.run(.seconds(5))
        #expect(bench.lines() == [])
        #expect(bench.bluez.property(CentralBench.hci0, BlueZ.adapter, "Discovering")?.flag == true)
        bench.bluez.advertise(CentralBench.device("C0:00:00:00:00:09"))
        bench.run(.seconds(1))
        #expect(bench.lines() == [])
        bench.bluez.advertise(CentralBench.device())
        bench.run(.seconds(1))
        #expect(bench.lines() == ["connected strap"])
        // The search was for this device only.
        #expect(bench.bluez.property(CentralBench.hci0, BlueZ.adapter, "Discovering")?.flag == false)
    }

    @Test func aDeviceObjectThatVanishesBeforeTheLinkIsSearchedFor() {
        let bench = CentralBench.on()
        let path = bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench)
        bench.run(.milliseconds(50))
        bench.bluez.vanish(path)
        bench.run(.seconds(1))
        #expect(bench.lines() == [])
        bench.bluez.advertise(CentralBench.device())
        bench.run(.seconds(2))
        #expect(bench.lines() == ["connected strap"])
    }

    /// bluetoothd has told of the object, and not of its end.
    @Test func aCallThatBluetoothdDoesNotKnowIsRepeatedAfterSomeTime() {
        let bench = CentralBench.on()
        bench.bluez.addDevice(CentralBench.device())
        bench.bluez.always(
            "Device1.Connect", .fails(ScriptedFailure(full: BusCallError.Name.unknownMethod, "There is none.")))
        bench.run()
        connect(bench)
        bench.run(.seconds(10))
        #expect((8...12).contains(bench.bluez.calls(of: "Device1.Connect").count))
        bench.bluez.always("Device1.Connect", nil)
        bench.run(.seconds(3))
        #expect(bench.lines() == ["connected strap"])
    }

    @Test func anAttemptThatFailsIsRepeatedWithoutALimit() {
        let bench = CentralBench.on()
        var device = CentralBench.device()
        device.connecting = .fails(.connectionAborted)
        let path = bench.bluez.addDevice(device)
        bench.run()
        connect(bench)
        bench.run(.seconds(60))
        #expect(bench.lines() == [])
        #expect(bench.bluez.calls(of: "Device1.Connect").count > 40)
        bench.bluez.change(path) { $0.connecting = .succeeds }
        bench.run(.seconds(3))
        #expect(bench.lines() == ["connected strap"])
    }

    /// 0x3E: the link is there for a moment.
    @Test func aLinkThatIsLostBeforeItsServicesIsTriedAgain() {
        let bench = CentralBench.on()
        let path = bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench)
        bench.run(.milliseconds(150))
        bench.bluez.dropLink(path, .unknown)
        bench.run(.seconds(3))
        #expect(bench.lines() == ["connected strap"])
        #expect(bench.bluez.calls(of: "Device1.Connect").count == 2)
    }

    @Test func servicesThatAreNeverResolvedLeadToAnotherAttempt() {
        let bench = CentralBench.on()
        bench.bluez.timing.resolving = .seconds(100_000)
        bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench)
        bench.run(.seconds(29))
        #expect(bench.lines() == [])
        bench.run(.seconds(5))
        #expect(bench.bluez.calls(of: "Device1.Disconnect").count == 1)
        #expect(bench.bluez.calls(of: "Device1.Connect").count == 2)
        #expect(bench.lines() == [])
        bench.session?.cancelConnection(bench.peer)
        bench.run(.seconds(5))
        #expect(bench.lines() == ["disconnected cancelled"])
    }

    /// Another attempt would end in the same way.
    @Test func keysThatAreLostEndTheAttempt() {
        let bench = CentralBench.on()
        let path = bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench)
        bench.run(.milliseconds(150))
        bench.bluez.dropLink(path, .authentication)
        bench.run(.seconds(10))
        #expect(bench.lines() == ["failed encryptionFailed"])
        #expect(bench.bluez.calls(of: "Device1.Connect").count == 1)
    }

    @Test func anAttemptIsCancelled() {
        let bench = CentralBench.on()
        var device = CentralBench.device()
        device.connecting = .never
        let path = bench.bluez.addDevice(device)
        bench.run()
        connect(bench)
        bench.run(.seconds(300))
        #expect(bench.lines() == [])
        bench.session?.cancelConnection(bench.peer)
        bench.run()
        #expect(bench.lines() == ["disconnected cancelled"])
        // A call that bluetoothd does not answer within two minutes is ended and made again.
        #expect(bench.bluez.calls(of: "Device1.Disconnect").count == 3)
        bench.bluez.change(path) { $0.connecting = .succeeds }
        connect(bench)
        bench.run(.seconds(3))
        #expect(bench.lines() == ["connected strap"])
    }

    @Test func aSearchIsCancelled() {
        let bench = CentralBench.on()
        connect(bench)
        bench.run()
        bench.session?.cancelConnection(bench.peer)
        bench.run()
        #expect(bench.lines() == ["disconnected cancelled"])
        #expect(bench.bluez.property(CentralBench.hci0, BlueZ.adapter, "Discovering")?.flag == false)
    }

    @Test(
        arguments: [
            (.remote, "endedByPeer"), (.timeout, "supervisionTimeout"), (.authentication, "encryptionFailed"),
            (.suspend, "endedByHost"), (.local, "endedByHost"), (.unknown, "endedByPeer"),
        ] as [(ScriptedReason, String)])
    func theReasonOfAnEndIsTold(reason: ScriptedReason, text: String) {
        let bench = CentralBench.on()
        let path = bench.connected()
        bench.bluez.dropLink(path, reason)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.\(text))"])
    }

    @Test func versionsWithoutReasonsCallItAnEndByTheDevice() {
        let bench = CentralBench.on(version: 66)
        let path = bench.connected()
        bench.bluez.dropLink(path, .timeout)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByPeer)"])
    }

    @Test func anAdapterThatIsSwitchedOffEndsNoLink() {
        let bench = CentralBench.on(version: 66)
        let path = bench.connected()
        bench.bluez.dropLink(path, .local)
        bench.run(.milliseconds(50))
        bench.bluez.setPowered(CentralBench.hci0, false)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["poweredOff"])
    }

    @Test func aLinkOfAnotherProgramIsUsedAndLeftAlone() {
        let bench = CentralBench.on()
        let path = bench.bluez.addDevice(CentralBench.device())
        bench.bluez.connectIncoming(path)
        bench.run(.seconds(1))
        let service = [BluetoothUUID(0x180D as UInt16)]
        #expect(bench.session?.connectedPeers(services: service).map(\.identifier) == [bench.peer])
        #expect(bench.session?.connectedPeers(services: [BluetoothUUID(0x180F as UInt16)]) == [])
        connect(bench)
        bench.run()
        #expect(bench.lines() == ["connected strap"])
        #expect(bench.bluez.calls(of: "Device1.Connect").isEmpty)
        bench.session?.cancelConnection(bench.peer)
        bench.run(.seconds(5))
        #expect(bench.lines() == ["disconnected cancelled"])
        #expect(bench.bluez.isConnected(path) && bench.bluez.calls(of: "Device1.Disconnect").isEmpty)
    }

    @Test func aLinkOfOursEndsWithTheLastSession() {
        let bench = CentralBench.on()
        let path = bench.connected()
        let other = bench.open()
        other.session?.connect(bench.peer, options: ConnectionOptions())
        bench.run()
        #expect(other.recorder.take() == ["connected strap"])
        bench.session?.cancelConnection(bench.peer)
        bench.run(.seconds(5))
        #expect(bench.bluez.isConnected(path))
        bench.release()
        other.session?.cancelConnection(bench.peer)
        bench.run(.seconds(5))
        #expect(!bench.bluez.isConnected(path))
    }

    /// A program that ends without a word, in place of a leak of connections.
    @Test func aSessionThatIsReleasedEndsItsLinks() {
        let bench = CentralBench.on()
        let path = bench.connected()
        bench.release()
        bench.run(.seconds(5))
        #expect(!bench.bluez.isConnected(path))
    }

    @Test func anAutomaticReconnectionFollowsALoss() {
        let bench = CentralBench.on()
        let path = bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench, ConnectionOptions(reconnectsAutomatically: true))
        bench.run(.seconds(1))
        bench.bluez.dropLink(path, .timeout)
        bench.run(.seconds(3))
        #expect(
            bench.lines() == [
                "connected strap", "disconnected failed(BLEAdapter.ConnectionError.supervisionTimeout), reconnecting",
                "connected strap",
            ])
    }

    @Test func aRestartOfBluetoothdForgetsLinksAndTheNextOneWorks() {
        let bench = CentralBench.on()
        _ = bench.connected()
        bench.bluez.end()
        bench.run()
        #expect(bench.lines() == ["resetting"])
        #expect(bench.session?.maximumTransmissionUnit(of: bench.peer) == nil)
        bench.bluez.start()
        bench.run()
        connect(bench)
        bench.run()
        bench.bluez.advertise(CentralBench.device())
        bench.run(.seconds(2))
        #expect(bench.lines() == ["poweredOn", "connected strap"])
    }

    @Test func aDeviceThatIsRemovedEndsItsLink() {
        let bench = CentralBench.on()
        let path = bench.connected()
        bench.bluez.vanish(path)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByHost)"])
    }

    /// After pairing, the address is the identity address: the identifier stays.
    @Test func anIdentityAddressKeepsTheIdentifier() throws {
        let bench = CentralBench.on()
        let path = bench.connected()
        bench.bluez.set(
            path, BlueZ.device, ["Address": .string("00:11:22:33:44:66"), "AddressType": .string("public")])
        bench.run()
        let identity = DeviceAddress(kind: .public, value: 0x0011_2233_4466)
        #expect(bench.store.identifier(for: identity) == bench.peer)
        bench.session?.cancelConnection(bench.peer)
        bench.run(.seconds(5))
        _ = bench.lines()
        connect(bench)
        bench.run(.seconds(2))
        #expect(bench.lines() == ["connected strap"])
    }

    @Test func aChannelToADeviceWhoseAddressIsForgottenFails() {
        let identification = ForgetfulIdentification()
        let bench = CentralBench(identification: identification)
        bench.run()
        _ = bench.connected()
        identification.isForgetful.withLock { $0 = true }
        bench.session?.openChannel(psm: 0x80, to: bench.peer)
        bench.run()
        #expect(bench.lines() == ["channel 128 failure(BLEAdapter.ChannelError.notConnected)"])
    }

    @Test func aDelayedConnectionStartsLater() {
        let bench = CentralBench.on()
        bench.bluez.addDevice(CentralBench.device())
        bench.run()
        connect(bench, ConnectionOptions(startDelay: .seconds(3)))
        bench.run(.milliseconds(2_900))
        #expect(bench.bluez.calls(of: "Device1.Connect").isEmpty)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["connected strap"])
    }
}
