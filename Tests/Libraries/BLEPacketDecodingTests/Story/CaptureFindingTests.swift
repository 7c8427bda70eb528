import BLEWire
import Testing

@testable import BLEPacketDecoding

/// What is unusual, each from the octets of a file.
struct CaptureFindingTests {
    private func findings(_ make: (inout HostCapture) -> Void) throws -> [CaptureFinding] {
        var capture = HostCapture()
        make(&capture)
        return try capture.story().allFindings
    }

    private func kinds(_ make: (inout HostCapture) -> Void) throws -> [CaptureFinding.Kind] {
        try findings(make).map(\.kind)
    }

    /// A link with a discovery, a subscription and values has none.
    @Test func anOrdinaryLinkHasNone() throws {
        let kinds = try kinds { capture in
            capture.connect()
            capture.sendATT([0x02, 0xF7, 0])
            capture.receiveATT([0x03, 0xF7, 0])
            capture.discover()
            capture.subscribe()
            for _ in 0..<30 { capture.receiveATT([0x1B, 3, 0, 0, 72]) }
            capture.subscribe(0x13, 2)
            capture.receiveATT([0x1D, 0x12, 0, 1, 0, 0xFF, 0xFF])
            capture.sendATT([0x1E])
            capture.discover()
            capture.wait(60_000)
            capture.receiveATT([0x1B, 3, 0, 0, 72])
            capture.disconnect(0x13)
        }
        #expect(kinds.isEmpty)
    }

    // MARK: Ends

    @Test(
        arguments: [
            (0x08, CaptureFinding.Kind.supervisionTimeout), (0x3E, .notEstablished), (0x22, .responseTimeout),
            (0x3D, .micFailure),
            (0x28, .instantPassed),
        ] as [(UInt8, CaptureFinding.Kind)])
    func aReasonIsAFinding(reason: UInt8, kind: CaptureFinding.Kind) throws {
        var capture = HostCapture()
        capture.connect()
        capture.disconnect(reason)
        let story = try capture.story()
        #expect(story.allFindings == [CaptureFinding(kind: kind, frames: [2])])
        let ending = try #require(story.links.first?.ending)
        #expect(ending.cause == .lost && ending.reason?.rawValue == reason && ending.moment.frame == 2)
    }

    @Test func aFailedConnectionIsAFindingOfNoLink() throws {
        var capture = HostCapture()
        capture.connect(status: 0x3E)
        // The host gave up: nothing unusual.
        capture.connect(status: 0x02)
        let story = try capture.story()
        #expect(story.links.isEmpty && story.findings.all == [CaptureFinding(kind: .notEstablished, frames: [1])])
    }

    // MARK: Parameters

    @Test func aRejectedUpdateIsAFindingOfTheOneWhoAsked() throws {
        let expected = CaptureFinding.Kind.updateRefused(nil, askedBy: .peripheral)
        #expect(
            try kinds { capture in
                capture.connect()
                // 30 to 60 ms, latency 0, timeout 4 s.
                capture.frame(5, [0x12, 1, 8, 0, 24, 0, 48, 0, 0, 0, 0x90, 1], isSent: false)
                capture.frame(5, [0x13, 1, 2, 0, 1, 0], isSent: true)
            } == [expected])
        #expect(
            try kinds { capture in
                capture.connect()
                // LE Connection Update Complete with Unacceptable Connection Parameters, after the host's command.
                capture.command(0x2013, [0x40, 0, 24, 0, 48, 0, 0, 0, 0x90, 1, 0, 0, 0, 0])
                capture.event(0x3E, [3, 0x3B, 0x40, 0, 24, 0, 0, 0, 0xF4, 1])
            } == [.updateRefused(.unacceptableConnectionParameters, askedBy: .central)])
    }

    @Test(
        arguments: [
            ([8, 0, 16, 0, 0, 0, 0x90, 1], [.minimumBelow15, .rangeTooNarrow]),
            ([20, 0, 48, 0, 0, 0, 0x90, 1], [.minimumNotMultipleOf15]),
            ([24, 0, 30, 0, 0, 0, 0x90, 1], [.rangeTooNarrow]),
            ([12, 0, 24, 0, 31, 0, 0x20, 3], [.latencyTooLong]),
            ([24, 0, 48, 0, 0, 0, 100, 0], [.timeoutOutOfRange]),
            ([0xE0, 1, 0xE0, 2, 9, 0, 0x08, 7], [.silenceTooLong, .timeoutTooShortForLatency]),
            ([12, 0, 12, 0, 0, 0, 0x90, 1], []), ([9, 0, 9, 0, 0, 0, 0x90, 1], []),
        ] as [([UInt8], [CaptureFinding.AccessoryRule])])
    func aRequestIsComparedWithTheGuidelines(parameters: [UInt8], rules: [CaptureFinding.AccessoryRule]) throws {
        let broken = try kinds { capture in
            capture.connect()
            capture.frame(5, [0x12, 1, 8, 0] + parameters, isSent: false)
        }.map { kind -> CaptureFinding.AccessoryRule? in
            if case .accessoryGuidelines(let rule, _) = kind { return rule }
            return nil
        }
        #expect(broken == rules)
        // A central may ask for what it likes.
        #expect(
            try kinds { capture in
                capture.connect(isCentral: false)
                capture.event(0x3E, [6, 0x40, 0] + parameters)
            }.isEmpty)
    }

    @Test func invalidParametersAreFound() throws {
        let invalid = LinkParameters(interval: 24, latency: 0, timeout: 6)
        #expect(try kinds { $0.connect(timeout: 6) } == [.invalidParameters(invalid)])
        #expect(
            try kinds { capture in
                capture.connect()
                capture.event(0x3E, [3, 0, 0x40, 0, 24, 0, 99, 0, 0x90, 1])
            } == [.invalidParameters(LinkParameters(interval: 24, latency: 99, timeout: 400))])
    }

    @Test func largeDataWithoutALongerPacketIsFound() throws {
        func capture(_ change: (inout HostCapture) -> Void) throws -> [CaptureFinding.Kind] {
            try kinds { capture in
                capture.connect()
                capture.discover()
                capture.subscribe()
                change(&capture)
                for _ in 0..<20 {
                    capture.receiveATT([0x1B, 3, 0] + [UInt8](repeating: 7, count: 100))
                }
            }
        }
        // The last one has the number of the last packet.
        #expect(try capture { _ in } == [.dataLengthNotExtended(frames: 20)])
        // LE Data Length Change.
        #expect(try capture { $0.event(0x3E, [7, 0x40, 0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]) }.isEmpty)
    }

    @Test func anAdvertisingIntervalBelowTheLimitIsFound() throws {
        let slow: [UInt8] = [0, 8, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0]
        let fast: [UInt8] = [0x10, 0, 0x20, 0] + slow[4...]
        #expect(try kinds { $0.command(0x2006, slow) }.isEmpty)
        #expect(try kinds { $0.command(0x2006, fast) } == [.advertisingTooFast(nil, interval: 10_000)])
        // High duty cycle: the interval does not matter.
        #expect(try kinds { $0.command(0x2006, [0, 0, 0, 0, 1] + slow[5...]) }.isEmpty)
    }

    // MARK: Attributes

    @Test func aRequestWithoutAnAnswerIsFound() throws {
        let found = try findings { capture in
            capture.connect()
            capture.sendATT([0x0A, 3, 0])
            capture.wait(29_000)
            capture.receiveATT([0x0B, 1])
            capture.sendATT([0x0A, 3, 0])
            capture.wait(30_000)
            capture.disconnect(0x16)
        }
        #expect(found == [CaptureFinding(kind: .attributeTimeout(.readRequest), frames: [4])])
    }

    @Test func aSecondRequestBeforeTheAnswerIsFound() throws {
        #expect(
            try kinds { capture in
                capture.connect()
                capture.sendATT([0x0A, 3, 0])
                capture.sendATT([0x0A, 4, 0])
            } == [.requestBeforeAnswer(.readRequest)])
    }

    @Test func aNotificationWithoutASubscriptionIsFound() throws {
        let measurement = BluetoothUUID(0x2A37 as UInt16)
        let found = try findings { capture in
            capture.connect()
            capture.discover()
            capture.receiveATT([0x1B, 3, 0, 0, 72])
            capture.subscribe()
            capture.receiveATT([0x1B, 3, 0, 0, 72])
            capture.subscribe(4, 0)
            for _ in 0..<5 { capture.receiveATT([0x1B, 3, 0, 0, 72]) }
        }
        let kind = CaptureFinding.Kind.updateWithoutSubscription(handle: 3, measurement, isIndication: false)
        #expect(found.map(\.kind) == [kind])
        // Six times; it names the first four packets.
        #expect(found.first?.count == 6 && found.first?.frames.count == CaptureFinding.frameLimit)
    }

    @Test func aSubscriptionMayComeFromABondOrFromAnEarlierTime() throws {
        // The bond.
        #expect(
            try kinds { capture in
                capture.connect()
                capture.encrypt()
                capture.receiveATT([0x1B, 3, 0, 0, 72])
            }.isEmpty)
        // A link that is older than the capture.
        #expect(try kinds { $0.receiveATT([0x1B, 3, 0, 0, 72]) }.isEmpty)
        // A descriptor that no discovery named.
        #expect(
            try kinds { capture in
                capture.connect()
                capture.subscribe(4)
                capture.receiveATT([0x1B, 3, 0, 0, 72])
            }.isEmpty)
    }

    @Test func aWriteToAnUnknownHandleIsFound() throws {
        let kinds = try kinds { capture in
            capture.connect()
            // No discovery yet: the client may know the handles.
            capture.sendATT([0x52, 0x30, 0, 1])
            capture.discover()
            capture.sendATT([0x52, 0x30, 0, 1])
            capture.sendATT([0x52, 3, 0, 1])
        }
        #expect(kinds == [.writeToUndiscovered(handle: 0x30)])
    }

    /// A second link with the same device knows what the first one found.
    @Test func namesOutliveALink() throws {
        var capture = HostCapture()
        capture.connect()
        capture.discover()
        capture.disconnect(0x13)
        capture.connect()
        capture.sendATT([0x52, 3, 0, 1])
        capture.sendATT([0x52, 0x30, 0, 1])
        let story = try capture.story()
        #expect(story.links.count == 2)
        let link = try #require(story.links.last)
        let use = link.servers[LinkSide.peripheral.rawValue].uses[3]
        #expect(use?.attribute?.uuid == BluetoothUUID(0x2A37 as UInt16) && use?.commands == 1)
        #expect(link.output.findings.all.map(\.kind) == [.writeToUndiscovered(handle: 0x30)])
    }

    @Test func anUnconfirmedIndicationIsFound() throws {
        let changed = BluetoothUUID(0x2A05 as UInt16)
        let late = try findings { capture in
            capture.connect()
            capture.discover()
            capture.subscribe(0x13, 2)
            capture.receiveATT([0x1D, 0x12, 0, 1, 0, 0xFF, 0xFF])
            capture.discover()
            capture.wait(30_000)
            capture.disconnect(0x13)
        }
        #expect(late == [CaptureFinding(kind: .indicationNotConfirmed(handle: 0x12, changed), frames: [14])])
        // A second one before the confirmation.
        let twice = try kinds { capture in
            capture.connect()
            capture.discover()
            capture.subscribe(4, 2)
            capture.receiveATT([0x1D, 3, 0, 0, 72])
            capture.receiveATT([0x1D, 3, 0, 0, 73])
            capture.sendATT([0x1E])
        }
        #expect(twice == [.indicationNotConfirmed(handle: 3, BluetoothUUID(0x2A37 as UInt16))])
    }

    @Test func aSecondExchangeOfTheMTUIsFound() throws {
        let kinds = try kinds { capture in
            capture.connect()
            for _ in 0..<2 {
                capture.sendATT([0x02, 0xF7, 0])
                capture.receiveATT([0x03, 0xB9, 0])
            }
            // The other side's client has its own.
            capture.receiveATT([0x02, 0xF7, 0])
            capture.sendATT([0x03, 0xB9, 0])
        }
        #expect(kinds == [.secondMTUExchange])
    }

    @Test func aChangeThatTheClientIgnoresIsFound() throws {
        let found = try findings { capture in
            capture.connect()
            capture.discover()
            capture.subscribe(0x13, 2)
            capture.receiveATT([0x1D, 0x12, 0, 1, 0, 0xFF, 0xFF])
            capture.sendATT([0x1E])
            capture.wait(5_000)
            capture.sendATT([0x0A, 3, 0])
            capture.receiveATT([0x0B, 1])
        }
        #expect(found == [CaptureFinding(kind: .changeWithoutDiscovery, frames: [14])])
        #expect(found.first?.isProblem == false)
    }

    @Test(arguments: [0x05, 0x0C, 0x0F] as [UInt8])
    func aRefusalThatNothingFollowsIsFound(code: UInt8) throws {
        func kinds(_ change: (inout HostCapture) -> Void) throws -> [CaptureFinding.Kind] {
            try self.kinds { capture in
                capture.connect()
                capture.sendATT([0x0A, 3, 0])
                capture.receiveATT([0x01, 0x0A, 3, 0, code])
                change(&capture)
            }
        }
        #expect(try kinds { _ in } == [.securityIgnored(ATT.ErrorCode(rawValue: code))])
        #expect(try kinds { $0.encrypt() }.isEmpty)
    }

    // MARK: Security

    @Test(arguments: [0x01, 0x03, 0x04, 0x05, 0x08, 0x0B, 0x0C, 0x55] as [UInt8])
    func aFailedPairingIsFoundWithItsReason(reason: UInt8) throws {
        let failure = SMP.FailureReason(rawValue: reason)
        var capture = HostCapture()
        capture.connect()
        capture.frame(6, [0x01, 4, 0, 0x0D, 16, 3, 3], isSent: true)
        capture.frame(6, [0x02, 3, 0, 0x09, 16, 3, 3], isSent: false)
        capture.frame(6, [0x05, reason], isSent: false)
        let story = try capture.story()
        #expect(story.allFindings == [CaptureFinding(kind: .pairingFailed(failure, by: .peripheral), frames: [4])])
        let pairing = try #require(story.links.first?.pairings.first)
        #expect(pairing.model == .justWorks && pairing.usesSecureConnections == true)
        #expect(pairing.outcome == .failed(failure, by: .peripheral, Moment(frame: 4, time: pairing.last.time)))
    }

    @Test func aPairingThatStopsIsFound() throws {
        let found = try findings { capture in
            capture.connect()
            capture.frame(6, [0x01, 4, 0, 0x0D, 16, 3, 3], isSent: true)
            capture.wait(30_000)
            capture.sendATT([0x0A, 3, 0])
        }
        #expect(found == [CaptureFinding(kind: .pairingTimeout, frames: [2])])
        // A Security Request needs no pairing.
        #expect(
            try kinds { capture in
                capture.connect()
                capture.frame(6, [0x0B, 0x09], isSent: false)
                capture.encrypt()
                capture.wait(30_000)
                capture.sendATT([0x0A, 3, 0])
            }.isEmpty)
    }

    @Test func aLostBondIsFound() throws {
        #expect(
            try kinds { capture in
                capture.connect()
                capture.encrypt(status: 0x06)
            } == [.keyMissing(.pinOrKeyMissing)])
        // This host, as the peripheral, has no key.
        #expect(
            try kinds { capture in
                capture.connect(isCentral: false)
                capture.command(0x201B, [0x40, 0])
            } == [.keyMissing(.pinOrKeyMissing)])
    }

    // MARK: Limits

    @Test func repeatedFindingsAreCountedAndDifferentOnesAreLimited() {
        var list = FindingList()
        let count = FindingList.limit + 10
        for handle in 0..<UInt16(count) {
            for frame in 0..<9 {
                list.add(.writeToUndiscovered(handle: handle), at: Moment(frame: frame, time: 0))
            }
        }
        #expect(list.all.count == FindingList.limit && list.leftOut == 90)
        #expect(list.all.allSatisfy { $0.count == 9 && $0.frames == [0, 1, 2, 3] })
    }

    /// Each finding has a word of its own, a place in a specification, and sentences in both languages.
    @Test func everyFindingHasWords() throws {
        let parameters = RequestedParameters(minimum: 6, maximum: 6, latency: 0, timeout: 100)
        let all: [CaptureFinding.Kind] =
            [
                .supervisionTimeout, .fellSilent, .notEstablished, .responseTimeout, .micFailure, .instantPassed,
                .keyMissing(.pinOrKeyMissing), .keyMissing(.authenticationFailure),
                .updateRefused(.unacceptableConnectionParameters, askedBy: nil), .attributeTimeout(.readRequest),
                .requestBeforeAnswer(.writeRequest), .updateWithoutSubscription(handle: 3, nil, isIndication: false),
                .updateWithoutSubscription(handle: 3, nil, isIndication: true), .writeToUndiscovered(handle: 3),
                .indicationNotConfirmed(handle: 3, nil), .secondMTUExchange, .dataLengthNotExtended(frames: 20),
                .changeWithoutDiscovery, .pairingTimeout, .securityIgnored(.insufficientEncryption),
                .retransmissions(.central, percent: 30),
                .invalidParameters(LinkParameters(interval: 6, latency: 0, timeout: 1)),
                .advertisingTooFast(HostCapture.peer, interval: 10_500), .advertisingTooFast(nil, interval: 10_500),
            ] + (1...16).map { .pairingFailed(SMP.FailureReason(rawValue: $0), by: .central) }
            + CaptureFinding.AccessoryRule.allCases.map { .accessoryGuidelines($0, parameters) }
        var capture = HostCapture()
        capture.connect()
        let link = try #require(try capture.story().links.first)
        var texts = Set<String>()
        for kind in all {
            let english = LinkWords(language: .english, link: link).text(kind)
            let chinese = LinkWords(language: .chinese, link: link).text(kind)
            #expect(english.hasSuffix(".") && texts.insert(english).inserted, "\(kind)")
            #expect(chinese.hasSuffix("。") && chinese.unicodeScalars.contains { $0.value >= 0x4E00 }, "\(kind)")
            #expect(!english.unicodeScalars.contains { $0.value >= 0x3000 }, "\(english)")
            #expect(!kind.specification.isEmpty)
        }
        #expect(Set(all.map(\.identifier)).count == 23)
    }
}
