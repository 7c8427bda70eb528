import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// The commands for encryption, key agreement and the authenticated payload timeout.
struct EncryptionCommandTests {
    /// The command statuses in the order of the checks: the handle, the role, the state.
    @Test func aCommandInTheWrongStateGetsItsError() throws {
        let link = try EncryptedLink(isEncrypted: false)
        func status(_ host: RawHost, _ opcode: HCI.Opcode) -> HCI.ErrorCode? {
            link.bench.deliver()
            return host.status(of: opcode)
        }
        let (central, peripheral) = (link.central, link.peripheral)
        central.enableEncryption(0x123, key: 1)
        #expect(status(central, .leEnableEncryption) == .unknownConnectionIdentifier)
        peripheral.enableEncryption(link.handles.peripheral, key: 1)
        #expect(status(peripheral, .leEnableEncryption) == .commandDisallowed)
        for (host, handle) in [(central, link.handles.central), (peripheral, link.handles.peripheral)] {
            host.send(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: 0x123))
            #expect(status(host, .leLongTermKeyRequestNegativeReply) == .unknownConnectionIdentifier)
            host.send(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle))
            #expect(status(host, .leLongTermKeyRequestNegativeReply) == .commandDisallowed)
            host.send(
                HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: RawHost.octets(of: 1)))
            #expect(status(host, .leLongTermKeyRequestReply) == .commandDisallowed)
        }
        central.enableEncryption(link.handles.central, key: 1)
        #expect(status(central, .leEnableEncryption) == .success)
        central.enableEncryption(link.handles.central, key: 1)
        #expect(status(central, .leEnableEncryption) == .commandDisallowed)
        link.bench.run(for: .milliseconds(300))
        peripheral.send(
            HCI.LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, longTermKey: RawHost.octets(of: 1))
        )
        #expect(status(peripheral, .leLongTermKeyRequestReply) == .success)
        peripheral.send(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: link.handles.peripheral))
        #expect(status(peripheral, .leLongTermKeyRequestNegativeReply) == .commandDisallowed)
        link.bench.run(for: .milliseconds(300))
        #expect(link.hosts.allSatisfy { $0.encryptionReports == 1 })
    }

    /// HCI/CIN/BV-09-C
    @Test func theControllerClaimsEncryptionPingAndKeyValidation() throws {
        let bench = Bench()
        let host = bench.addHost()
        host.send(HCI.LEReadLocalSupportedFeatures())
        bench.deliver()
        let event = try #require(host.events.last)
        let features = HCI.LEFeatures(
            rawValue: event.suffix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        #expect(features.isSuperset(of: [.encryption, .ping, .remotePublicKeyValidation]))
    }

    /// The sample of Vol 6, Part C, 1: the session key is the LTK's encryption of the SKD.
    @Test func leEncryptGivesTheSessionKeyOfTheSample() throws {
        let bench = Bench()
        let host = bench.addHost()
        host.send(
            HCI.LEEncrypt(
                key: RawHost.octets(of: 0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF),
                plaintext: RawHost.octets(of: 0x0213_2435_4657_6879_ACBD_CEDF_E0F1_0213)))
        bench.deliver()
        let event = try #require(host.events.last)
        #expect(
            Array(event.dropFirst(5)) == [
                0, 0x66, 0xC6, 0xC2, 0x27, 0x8E, 0x3B, 0x8E, 0x05, 0x3E, 0x7E, 0xA3, 0x26, 0x52, 0x1B, 0xAD, 0x99,
            ])
    }

    @Test func randomNumbersDifferBetweenCallsAndControllers() {
        let bench = Bench()
        let hosts = [bench.addHost(), bench.addHost()]
        var numbers: Set<[UInt8]> = []
        for _ in 0..<8 {
            for host in hosts {
                host.send(HCI.LERand())
                bench.deliver()
                numbers.insert(Array(host.events.last?.suffix(8) ?? []))
            }
        }
        #expect(numbers.count == 16)
    }

    // MARK: Key agreement

    private func publicKey(of host: RawHost, _ bench: Bench) throws -> P256PublicKey {
        host.send(HCI.LEReadLocalP256PublicKey())
        bench.deliver()
        let event = try #require(host.all(HCI.LEReadLocalP256PublicKeyComplete.self).last)
        #expect(event.status == .success)
        return event.publicKey
    }

    @Test func twoControllersAgreeOnADHKey() throws {
        let bench = Bench()
        let (one, other) = (bench.addHost(), bench.addHost())
        let keys = (try publicKey(of: one, bench), try publicKey(of: other, bench))
        #expect(keys.0 != keys.1)
        one.send(HCI.LEGenerateDHKey(remoteKey: keys.1))
        other.send(HCI.LEGenerateDHKeyV2(remoteKey: keys.0, keyType: .generated))
        bench.deliver()
        let secrets = [one, other].flatMap { $0.all(HCI.LEGenerateDHKeyComplete.self) }
        #expect(secrets.count == 2 && secrets[0] == secrets[1] && secrets[0].status == .success)
        // Each command generates a new pair.
        #expect(try publicKey(of: one, bench) != keys.0)
    }

    @Test func theDebugKeyTakesPartWithoutAGeneratedOne() throws {
        let bench = Bench()
        let (one, other) = (bench.addHost(), bench.addHost())
        let key = try publicKey(of: one, bench)
        one.send(HCI.LEGenerateDHKey(remoteKey: .debug))
        other.send(HCI.LEGenerateDHKeyV2(remoteKey: key, keyType: .debug))
        bench.deliver()
        let secrets = [one, other].flatMap { $0.all(HCI.LEGenerateDHKeyComplete.self) }
        #expect(secrets.count == 2 && secrets[0] == secrets[1])
    }

    @Test func anInvalidPublicKeyIsRefused() throws {
        let bench = Bench()
        let host = bench.addHost()
        let own = try publicKey(of: host, bench)
        var forged = own
        forged.y.low ^= 1
        let zero = UInt256(low: 0, high: 0)
        for key in [forged, P256PublicKey(x: zero, y: zero), P256PublicKey(x: own.x, y: zero)] {
            host.send(HCI.LEGenerateDHKey(remoteKey: key))
            bench.deliver()
            #expect(host.status(of: .leGenerateDHKey) == .invalidHCICommandParameters)
        }
        host.send(
            HCI.LEGenerateDHKeyV2(remoteKey: own, keyType: HCI.LEGenerateDHKeyV2.KeyType(rawValue: 2)))
        bench.deliver()
        #expect(host.status(of: .leGenerateDHKeyV2) == .invalidHCICommandParameters)
        #expect(host.all(HCI.LEGenerateDHKeyComplete.self).isEmpty)
        // A reset discards the key pair.
        host.send(HCI.Reset())
        host.send(HCI.LEGenerateDHKey(remoteKey: own))
        bench.deliver()
        #expect(host.status(of: .leGenerateDHKey) == .commandDisallowed)
    }

    // MARK: The authenticated payload timeout

    /// LE Read and Write Authenticated Payload Timeout. The default is 30 s (Vol 6, Part B, 5.4).
    @Test func thePayloadTimeoutIsReadAndWritten() throws {
        let link = try EncryptedLink(isEncrypted: false, interval: 80, timeout: 400)
        let (host, handle) = (link.central, link.handles.central)
        func timeout(_ handle: UInt16) -> [UInt8] {
            host.send(HCI.ReadAuthenticatedPayloadTimeout(connectionHandle: handle))
            link.bench.deliver()
            return Array(host.events.last?.dropFirst(5) ?? [])
        }
        func write(_ value: UInt16) -> HCI.ErrorCode? {
            host.send(HCI.WriteAuthenticatedPayloadTimeout(connectionHandle: handle, timeout: value))
            link.bench.deliver()
            return host.status(of: .writeAuthenticatedPayloadTimeout)
        }
        #expect(timeout(handle) == [0, UInt8(handle), 0, 0xB8, 0x0B])
        #expect(timeout(0x123).first == 0x02)
        #expect(write(0) == .invalidHCICommandParameters)
        // Less than the interval of 100 ms.
        #expect(write(9) == .invalidHCICommandParameters)
        #expect(write(10) == .success)
        #expect(timeout(handle) == [0, UInt8(handle), 0, 10, 0])
    }

    /// LL_PING_REQ keeps the timeout from expiring on an idle link.
    @Test func pingsKeepAnIdleLinkAuthenticated() throws {
        let link = try EncryptedLink()
        for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
            host.send(HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired))
            host.send(HCI.WriteAuthenticatedPayloadTimeout(connectionHandle: handle, timeout: 100))
        }
        var times: [Int64] = []
        link.bench.radio.airObserver = { packet in
            // LL_PING_REQ and LL_PING_RSP: one octet and a MIC.
            if packet.pdu.count == 2 + 1 + LL.micLength { times.append(packet.start.nanoseconds / 1_000_000) }
        }
        link.bench.run(for: .seconds(10))
        #expect(link.hosts.allSatisfy { $0.all(events: HCI.AuthenticatedPayloadTimeoutExpired.self).isEmpty })
        // One request and one response in each second, at most two of each.
        #expect((18...44).contains(times.count), "\(times)")
        #expect(link.reasons == [[], []] && link.carriesData())
    }

    /// LL/SEC/PER/BV-10-C: without a PDU with a MIC the host is notified after each timeout, if its mask allows the event.
    @Test(arguments: [false, true]) func theHostLearnsOfAnExpiredPayloadTimeout(isEnabled: Bool) throws {
        let link = try EncryptedLink(timeout: 3200)
        if isEnabled { link.central.send(HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired)) }
        link.central.send(
            HCI.WriteAuthenticatedPayloadTimeout(connectionHandle: link.handles.central, timeout: 200))
        // Only empty PDUs arrive.
        link.bench.radio.tamper = { pdu in if pdu.count > 2 { pdu = [pdu[0] & ~3 | 1, 0] } }
        link.bench.run(for: .milliseconds(1900))
        #expect(link.central.all(events: HCI.AuthenticatedPayloadTimeoutExpired.self).isEmpty)
        link.bench.run(for: .milliseconds(8500))
        let events = link.central.all(events: HCI.AuthenticatedPayloadTimeoutExpired.self)
        let event = HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: link.handles.central)
        #expect(events == (isEnabled ? [HCI.AuthenticatedPayloadTimeoutExpired](repeating: event, count: 5) : []))
        #expect(link.reasons == [[], []])
    }

    /// An unencrypted link has no such timeout.
    @Test func anUnencryptedLinkHasNoPayloadTimeout() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.central.send(HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired))
        link.central.send(HCI.WriteAuthenticatedPayloadTimeout(connectionHandle: link.handles.central, timeout: 100))
        var controls = 0
        link.bench.radio.airObserver = { if $0.pdu.count > 2 { controls += 1 } }
        link.bench.run(for: .seconds(5))
        #expect(controls == 0 && link.central.all(events: HCI.AuthenticatedPayloadTimeoutExpired.self).isEmpty)
    }

    private struct Zeros: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0 }
    }

    /// A generator that gives no scalar in range has failed: the event has Hardware Failure and no point, and there is no key pair.
    @Test func aFailedGeneratorMakesNoKeyPair() {
        let bench = Bench(crypto: { _ in SwiftCryptoProvider(generator: Zeros()) })
        let host = bench.addHost()
        host.events.removeAll()
        for _ in 0..<2 {
            host.send(HCI.LEReadLocalP256PublicKey())
            bench.deliver()
            #expect(host.status(of: .leReadLocalP256PublicKey) == .success)
            #expect(host.events.last == [0x3E, 66, 0x08, 0x03] + [UInt8](repeating: 0, count: 64))
        }
        host.send(HCI.LEGenerateDHKey(remoteKey: .debug))
        bench.deliver()
        #expect(host.status(of: .leGenerateDHKey) == .commandDisallowed)
    }
}
