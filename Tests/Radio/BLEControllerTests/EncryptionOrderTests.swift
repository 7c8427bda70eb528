import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// The encryption procedures with PDUs and commands in the wrong order (Vol 6, Part B, 5.1.3, 5.2 and 5.3).
struct EncryptionOrderTests {
    /// Replaces each control PDU with this opcode and length by another PDU, before encryption or the pause ends.
    private func replace(_ opcode: UInt8, with kind: UInt8, _ payload: [UInt8], on link: EncryptedLink) {
        link.bench.radio.tamper = { pdu in
            guard pdu.count > 2, pdu[0] & 3 == 3, pdu[2] == opcode else { return }
            pdu.replaceSubrange(0..., with: [pdu[0] & ~3 | kind, UInt8(payload.count)] + payload)
        }
    }

    /// LL_VERSION_IND, a request, data and a malformed PDU in place of LL_START_ENC_REQ.
    ///
    /// LL/SEC/CEN/BV-14-C
    @Test(
        arguments: [
            (3, [0x0C, 13, 1, 0, 1, 0]), (3, [0x08, 0, 0, 0, 0, 0, 0, 0, 0]), (3, [0x12]), (3, [0x06]), (3, [0x05, 1]),
            (3, [0x0B]), (2, [1, 2, 3]), (1, [1, 2, 3]),
        ] as [(UInt8, [UInt8])])
    func anotherPDUThanLLStartEncReqEndsTheLink(kind: UInt8, payload: [UInt8]) throws {
        let link = try EncryptedLink(isEncrypted: false)
        replace(0x05, with: kind, payload, on: link)
        link.peripheral.keyReply = .key(1)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(500))
        #expect(link.central.disconnections.map(\.reason) == [.connectionTerminatedDueToMICFailure])
        #expect(link.central.received.isEmpty)
    }

    /// The same in place of LL_ENC_REQ after a pause, at the peripheral.
    ///
    /// LL/SEC/PER/BI-05-C, LL/SEC/PER/BI-07-C
    @Test(
        arguments: [
            (3, [0x0C, 13, 1, 0, 1, 0]), (3, [0x06]), (3, [0x0A]), (3, [0x03, 1]), (2, [1, 2, 3]), (1, [1, 2, 3]),
        ] as [(UInt8, [UInt8])])
    func anotherPDUThanLLEncReqAfterAPauseEndsTheLink(kind: UInt8, payload: [UInt8]) throws {
        let link = try EncryptedLink()
        replace(0x03, with: kind, payload, on: link)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(500))
        #expect(link.peripheral.disconnections.map(\.reason) == [.connectionTerminatedDueToMICFailure])
        #expect(link.peripheral.received.isEmpty)
    }

    /// While the peripheral's host looks for the key, the central sends LL_VERSION_IND or data.
    ///
    /// LL/SEC/PER/BI-05-C, LL/SEC/PER/BI-07-C
    @Test(arguments: [(3, [0x0C, 13, 1, 0, 1, 0]), (2, [1, 2, 3]), (3, [0x03])] as [(UInt8, [UInt8])])
    func aPDUDuringTheHostsSearchForTheKeyEndsTheLink(kind: UInt8, payload: [UInt8]) throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(300))
        #expect(link.peripheral.all(HCI.LELongTermKeyRequest.self).count == 1 && link.reasons == [[], []])
        link.bench.radio.tamper = { pdu in
            // The central's empty PDUs.
            if pdu.count == 2 { pdu = [pdu[0] & ~3 | kind, UInt8(payload.count)] + payload }
        }
        link.bench.run(for: .milliseconds(100))
        #expect(link.peripheral.disconnections.map(\.reason) == [.connectionTerminatedDueToMICFailure])
    }

    /// The PDU with this opcode, or each encrypted PDU of one octet, never arrives.
    ///
    /// LL/SEC/CEN/BI-01-C, LL/SEC/CEN/BI-03-C, LL/SEC/PER/BI-01-C
    @Test(arguments: [0x03, 0x04, 0x05, nil] as [UInt8?]) func aMissingPDUEndsTheLinkAfter40Seconds(opcode: UInt8?)
        throws
    {
        let link = try EncryptedLink(isEncrypted: false)
        link.peripheral.keyReply = .key(1)
        link.bench.radio.tamper = { pdu in
            let isMissing = opcode.map { pdu.count > 2 && pdu[0] & 3 == 3 && pdu[2] == $0 } ?? (pdu.count == 7)
            if isMissing { pdu = [pdu[0] & ~3 | 1, 0] }
        }
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .seconds(39))
        #expect(link.reasons == [[], []])
        link.bench.run(for: .seconds(3))
        #expect(link.reasons.contains([.llResponseTimeout]))
        #expect(link.hosts.allSatisfy { $0.all(events: HCI.EncryptionChange.self).isEmpty })
    }

    /// A host that never answers LE Long Term Key Request.
    @Test func aSilentHostEndsTheLinkAfter40Seconds() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .seconds(39))
        #expect(link.reasons == [[], []])
        link.bench.run(for: .seconds(3))
        #expect(link.central.disconnections.map(\.reason) == [.llResponseTimeout])
    }

    /// The peripheral's request crosses LL_ENC_REQ, and is answered after the procedure.
    ///
    /// LL/SEC/CEN/BV-13-C
    @Test func aRequestThatCrossesLLEncReqIsAnsweredEncrypted() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.peripheral.keyReply = .key(1)
        var plain: [UInt8] = []
        link.bench.radio.airObserver = { packet in
            if packet.pdu.count > 2, packet.pdu[0] & 3 == 3, packet.pdu.count != 2 + 1 + LL.micLength {
                plain.append(packet.pdu[2])
            }
        }
        link.central.enableEncryption(link.handles.central, key: 1)
        link.peripheral.send(HCI.LEReadRemoteFeatures(connectionHandle: link.handles.peripheral))
        link.peripheral.send(HCI.ReadRemoteVersionInformation(connectionHandle: link.handles.peripheral))
        link.bench.run(for: .seconds(1))
        #expect(link.peripheral.all(HCI.LEReadRemoteFeaturesComplete.self).map(\.status) == [.success])
        #expect(link.peripheral.events.filter { $0[0] == 0x0C }.map { $0[2] } == [0])
        #expect(link.hosts.allSatisfy { $0.encryptionReports == 1 } && link.reasons == [[], []])
        #expect(Array(plain.prefix(4)) == [0x03, 0x0E, 0x04, 0x05])
        #expect(link.carriesData())
    }

    /// Requests of both hosts during the procedure wait for its end, and a termination does not.
    @Test func otherProceduresWaitForTheEndOfEncryption() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(300))
        for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
            host.send(HCI.LEReadRemoteFeatures(connectionHandle: handle))
            host.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
        }
        link.bench.run(for: .seconds(1))
        #expect(link.reasons == [[], []])
        #expect(link.hosts.allSatisfy { $0.all(HCI.LEReadRemoteFeaturesComplete.self).isEmpty })
        link.peripheral.send(
            HCI.LELongTermKeyRequestReply(
                connectionHandle: link.handles.peripheral, longTermKey: RawHost.octets(of: 1)))
        link.bench.run(for: .seconds(2))
        #expect(link.hosts.allSatisfy { $0.encryptionReports == 1 } && link.reasons == [[], []])
        #expect(link.hosts.allSatisfy { $0.all(HCI.LEReadRemoteFeaturesComplete.self).map(\.status) == [.success] })
        #expect(link.hosts.allSatisfy { $0.all(HCI.LEPHYUpdateComplete.self).last?.txPHY == .le2M })
        #expect(link.carriesData())
    }

    @Test(arguments: [HCI.Role.central, .peripheral]) func aTerminationInterruptsTheProcedure(by role: HCI.Role) throws
    {
        for isRefresh in [false, true] {
            let link = try EncryptedLink(isEncrypted: isRefresh)
            link.peripheral.keyReply = .none
            link.central.enableEncryption(link.handles.central, key: 1)
            link.bench.run(for: .milliseconds(300))
            let (host, handle) =
                role == .central ? (link.central, link.handles.central) : (link.peripheral, link.handles.peripheral)
            host.send(HCI.Disconnect(connectionHandle: handle, reason: .remoteUserTerminatedConnection))
            link.bench.run(for: .milliseconds(300))
            let reasons: [[HCI.ErrorCode]] = [[.connectionTerminatedByLocalHost], [.remoteUserTerminatedConnection]]
            #expect(link.reasons == (role == .central ? reasons : reasons.reversed()))
        }
    }

    /// An update of the connection parameters and a channel map update are under way when encryption is enabled.
    @Test func encryptionWaitsForAChangeAtAnInstant() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.peripheral.acceptsParameters = true
        link.peripheral.keyReply = .key(1)
        link.central.send(
            HCI.LEConnectionUpdate(
                connectionHandle: link.handles.central, intervalMinimum: 40, intervalMaximum: 40, maximumLatency: 0,
                supervisionTimeout: 200))
        link.central.send(
            HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0xFFFF)))
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .seconds(4))
        #expect(link.central.all(HCI.LEConnectionUpdateComplete.self).map(\.interval) == [40])
        #expect(link.hosts.allSatisfy { $0.encryptionReports == 1 } && link.reasons == [[], []])
        #expect(link.carriesData())
    }

    // MARK: The machine alone

    private static let part = LL.SessionPart(diversifier: 1, vector: 2)
    private static let request = EncryptionProcedure.Request(
        longTermKey: LongTermKey(value: 3),
        pdu: LL.EncReq(randomNumber: 4, encryptedDiversifier: 5, part: part))

    /// The octets that bring a machine into each of its states.
    private static func machines(_ role: HCI.Role) -> [EncryptionProcedure] {
        var machines = [EncryptionProcedure(role: role)]
        func add(_ machine: EncryptionProcedure, _ change: (inout EncryptionProcedure) -> Void) -> EncryptionProcedure {
            var next = machine
            change(&next)
            machines.append(next)
            return next
        }
        func receive(_ octets: [UInt8]) -> (inout EncryptionProcedure) -> Void {
            { machine in
                if let pdu = try? LL.ControlPDU(decoding: octets.span) { _ = machine.receive(pdu) }
            }
        }
        let response: [UInt8] = [0x04] + [UInt8](repeating: 1, count: 12)
        let enc: [UInt8] = [0x03] + [UInt8](repeating: 1, count: 22)
        if role == .central {
            let requesting = add(machines[0]) { _ = $0.begin(request) }
            let awaiting = add(requesting, receive(response))
            let starting = add(awaiting, receive([0x05]))
            let encrypted = add(starting, receive([0x06]))
            let pausing = add(encrypted) { _ = $0.begin(request) }
            let again = add(pausing, receive([0x0B]))
            _ = add(add(again, receive(response)), receive([0x05]))
        } else {
            let asking = add(add(machines[0], receive(enc))) { _ = $0.answer(part) }
            let awaiting = add(asking) { _ = $0.provide(request.longTermKey) }
            let encrypted = add(
                add(awaiting) { $0.acknowledged(.startEncReq) }, receive([0x06]))
            let paused = add(encrypted, receive([0x0A]))
            let again = add(add(paused) { $0.acknowledged(.pauseEncRsp) }, receive([0x0B]))
            let askingAgain = add(add(again, receive(enc))) { _ = $0.answer(part) }
            _ = add(askingAgain) { _ = $0.provide(request.longTermKey) }
        }
        return machines
    }

    /// Each PDU in each state: a PDU of the procedure in the wrong place never encrypts the link, and never ends encryption.
    @Test(arguments: [HCI.Role.central, .peripheral]) func noPDUInTheWrongStateChangesEncryption(role: HCI.Role) throws
    {
        let machines = Self.machines(role)
        #expect(Set(machines.map(\.state)).count >= (role == .central ? 5 : 6))
        let opcodes = (0...0x20 as ClosedRange<UInt8>).map { $0 }
        var decoded = 0
        for machine in machines {
            for opcode in opcodes {
                for length in [0, 1, 2, 5, 8, 9, 12, 22, 23] {
                    let octets = [opcode] + [UInt8](repeating: 3, count: length)
                    guard let pdu = try? LL.ControlPDU(decoding: octets.span) else { continue }
                    decoded += 1
                    var next = machine
                    let reaction = next.receive(pdu)
                    let sample = "\(machine.state) \(octets) \(reaction)"
                    let change = (machine.isReceiving, next.isReceiving)
                    if change == (false, true) {
                        #expect(role == .central && machine.state == .awaitingStart && opcode == 0x05, "\(sample)")
                    }
                    if change == (true, false) { #expect(role == .central && opcode == 0x0B, "\(sample)") }
                    if machine.isStrict, next.state == machine.state, opcode != 0x02 {
                        #expect(reaction == .effects([.end(.connectionTerminatedDueToMICFailure)]), "\(sample)")
                    }
                    // A link that waits for nothing is not in a procedure, except for its host.
                    #expect(
                        next.isWaitingForPeer || next.state == .idle || next.hostIsAsked
                            || reaction.isQuestion || machine.state == next.state, "\(sample)")
                }
            }
        }
        #expect(decoded >= 15 * machines.count, "\(decoded) PDUs, \(machines.count) machines")
    }

    /// LL_ENC_REQ on an encrypted link would turn encryption off.
    @Test func aRequestOnAnEncryptedLinkEndsIt() throws {
        let encrypted = Self.machines(.peripheral).filter { $0.isReceiving && $0.state == .idle }
        #expect(!encrypted.isEmpty)
        let octets: [UInt8] = [0x03] + [UInt8](repeating: 1, count: 22)
        for var machine in encrypted {
            let reaction = machine.receive(try LL.ControlPDU(decoding: octets.span))
            #expect(reaction == .effects([.end(.connectionTerminatedDueToMICFailure)]))
        }
    }

    /// A refused refresh leaves a central without encryption, so the central ends the link.
    @Test func aRejectionAfterAPauseEndsTheLink() throws {
        var machine = try #require(Self.machines(.central).first { $0.isRefresh && !$0.isReceiving })
        let reaction = machine.receive(try LL.ControlPDU(decoding: [0x0D, 0x06].span))
        #expect(reaction == .effects([.end(.connectionTerminatedDueToMICFailure)]))
    }
}

extension EncryptionProcedure.Reaction {
    fileprivate var isQuestion: Bool {
        guard case .effects(let effects) = self else { return false }
        return effects.contains { if case .askHost = $0 { true } else { false } }
    }
}
