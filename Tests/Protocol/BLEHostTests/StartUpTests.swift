import BLEWire
import Testing

@testable import BLEHost

struct StartUpTests {
    @Test func aCompleteControllerIsSetUpInOrder() {
        let bench = Bench()
        let host = bench.ready { controller in
            controller.publicAddress = 0x0011_2233_4455
            controller.features = [.dataPacketLengthExtension, .phy2M]
        }
        #expect(host.states == [.starting, .ready])
        #expect(
            host.controller.opcodes() == [
                .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures,
                .setEventMask, .leReadLocalSupportedFeatures, .leSetEventMask, .leReadBufferSize,
                .leReadSupportedStates, .leReadFilterAcceptListSize, .leClearFilterAcceptList, .readBDADDR,
                .leReadMaximumDataLength, .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY,
            ])
        #expect(host.host.ownAddress == DeviceAddress(kind: .public, value: 0x0011_2233_4455))
    }

    @Test func withoutAPublicAddressAStaticRandomOneIsUsed() throws {
        let bench = Bench()
        let host = bench.ready()
        let address = try #require(host.address)
        #expect(address.kind == .random)
        #expect(address.value >> 46 == 3)
        #expect(host.controller.address == address)
        let other = Bench().ready()
        #expect(other.host.ownAddress == address, "the same seed gives the same address")
    }

    @Test func theConfiguredIdentityAddressHasPrecedence() {
        var configuration = HostConfiguration()
        configuration.identityAddress = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001)
        let host = Bench().ready(configuration) { $0.publicAddress = 5 }
        #expect(host.controller.address == configuration.identityAddress)
    }

    @Test func unsupportedOptionalCommandsAreNotSent() {
        let host = Bench().ready { controller in
            controller.supported = HCI.SupportedCommands()
            controller.silent = [.leReadSupportedStates, .readBDADDR, .leReadFilterAcceptListSize]
        }
        #expect(host.host.state == .ready)
        #expect(!host.controller.opcodes().contains(.leReadSupportedStates))
        #expect(!host.controller.opcodes().contains(.readBDADDR))
    }

    @Test func anOptionalCommandWithoutAnswerIsSkipped() {
        let bench = Bench()
        let host = bench.ready { $0.silent = [.leReadSupportedStates, .readLocalVersionInformation] }
        #expect(host.host.state == .starting)
        bench.run(.seconds(5))
        #expect(host.host.state == .ready)
    }

    @Test func sharedBuffersAreReadIfLEHasNone() {
        let host = Bench().ready { controller in
            controller.bufferLength = 0
            controller.sharedBuffers = (1_021, 6)
        }
        #expect(host.host.state == .ready)
        #expect(host.controller.opcodes().contains(.readBufferSize))
        #expect(host.host.output.data.transmitter.fragmentLength == 1_021)
        #expect(host.host.output.data.transmitter.bufferCount == 6)
    }

    /// A length without a number of packets is none (Vol 4, Part E, 7.8.2 and 7.4.5).
    @Test(arguments: [(0, 8), (27, 0), (0, 0)] as [(UInt16, UInt8)]) func incompleteBuffersAreNone(
        length: UInt16, count: UInt8
    ) {
        for (shared, works) in [((1_021, 6), true), ((0, 6), false), ((1_021, 0), false)] as [((UInt16, UInt16), Bool)]
        {
            let host = Bench().ready { controller in
                controller.bufferLength = length
                controller.bufferCount = count
                controller.sharedBuffers = (shared.0, shared.1)
            }
            #expect(host.states.last == (works ? .ready : .failed(.noDataBuffers)), "\(shared)")
            #expect(host.host.output.data.transmitter.fragmentLength == (works ? 1_021 : 0))
            #expect(host.host.output.data.transmitter.bufferCount == (works ? 6 : 0))
        }
    }

    /// A later version of the specification may append return parameters.
    @Test(arguments: [[0xFF], [1, 2, 3]] as [[UInt8]]) func appendedReturnParametersAreIgnored(octets: [UInt8]) {
        func ready(_ appended: [UInt8]) -> BenchHost {
            Bench().ready {
                $0.publicAddress = 0x0011_2233_4455
                $0.becomePeriodic(.phy2M)
                $0.appendedOctets = appended
            }
        }
        let (plain, other) = (ready([]), ready(octets))
        #expect(other.host.state == .ready && other.controller.log == plain.controller.log)
        let capabilities = [plain, other].map { String(reflecting: $0.host.lifecycle.capabilities) }
        #expect(capabilities[0] == capabilities[1])
    }

    @Test func aControllerWithoutBuffersFails() {
        let host = Bench().ready { $0.bufferLength = 0 }
        #expect(host.states.last == .failed(.noDataBuffers))
    }

    @Test func aSilentControllerFailsAfterItsAttempts() {
        let bench = Bench()
        let host = bench.ready { $0.silent = [.reset] }
        bench.run(.seconds(5))
        #expect(host.host.state == .starting)
        bench.run(.seconds(2))
        #expect(host.states == [.starting, .failed(.noAnswer(.reset))])
        #expect(host.controller.opcodes() == [.reset, .reset, .reset])
        #expect(host.host.nextTimeout == nil)

        host.controller.silent = []
        host.host.start(at: bench.now)
        bench.settle()
        #expect(host.host.state == .ready)
    }

    @Test func aRefusedMandatoryCommandIsAFailureWithItsCode() {
        let host = Bench().ready { $0.refusals = [.leSetEventMask: .commandDisallowed] }
        #expect(host.states.last == .failed(.commandFailed(.leSetEventMask, .commandDisallowed)))
    }

    /// Octets and microseconds of the longest data PDU (Vol 6, Part B, 4.5.10): 251 octets take 2,120 us on 1M and 17,040 us on Coded.
    @Test func theLongestPacketsAreThoseOfTheController() {
        for (octets, time, isCoded, expectedOctets, expectedTime) in [
            (27, 328, false, 251, 2_120), (251, 2_120, false, 251, 2_120), (251, 17_040, true, 251, 17_040),
            (251, 2_120, true, 251, 2_120), (100, 912, false, 100, 912), (28, 329, false, 28, 329),
            (500, 20_000, false, 251, 2_120), (500, 20_000, true, 251, 17_040), (0, 0, true, 251, 17_040),
        ] as [(UInt16, UInt16, Bool, UInt16, UInt16)] {
            var capabilities = ControllerCapabilities()
            if isCoded { capabilities.features.insert(.phyCoded) }
            capabilities.maximumDataLength = HCI.LEReadMaximumDataLength.ReturnParameters(
                status: .success, maximumTxOctets: octets, maximumTxTime: time, maximumRxOctets: 27, maximumRxTime: 328)
            let longest = capabilities.longestData
            #expect(longest.octets == expectedOctets && longest.time == expectedTime)
        }
    }

    /// Bit 0 is 1M, bit 1 is 2M, bit 2 is Coded (Vol 4, Part E, 7.8.48).
    @Test func theAcceptedPHYsAreThoseOfTheController() {
        for (features, uses2M, bits) in [
            ([], true, 1), ([.phy2M], true, 3), ([.phy2M], false, 1), ([.phyCoded], false, 5), ([.phyCoded], true, 5),
            ([.phy2M, .phyCoded], true, 7), ([.phy2M, .phyCoded], false, 5),
        ] as [(HCI.LEFeatures, Bool, UInt8)] {
            var capabilities = ControllerCapabilities()
            capabilities.features = features
            #expect(capabilities.acceptablePHYs(uses2M: uses2M).rawValue == bits)
        }
    }

    /// The ranges of LE Connection Update (Vol 4, Part E, 7.8.18), and a timeout longer than (1 + latency) * interval * 2.
    /// Values above the limits of the specification count as the limits.
    @Test func theSpansOfParametersAreLimited() {
        for (value, interval, timeout) in [
            (8, 10_000, 80_000), (3_199, 3_998_750, 31_990_000), (3_200, 4_000_000, 32_000_000),
            (3_201, 4_000_000, 32_000_000), (0xFFFF, 4_000_000, 32_000_000),
        ] as [(UInt16, Int, Int)] {
            let parameters = ConnectionParameters(interval: value, latency: 0, timeout: value)
            #expect(parameters.intervalSpan == .microseconds(interval))
            #expect(parameters.supervisionSpan == .microseconds(timeout))
        }
    }

    @Test func parametersAreValidWithinTheirRanges() {
        for (minimum, maximum, latency, timeout, isValid) in [
            (6, 6, 0, 10, true), (5, 6, 0, 10, false), (6, 5, 0, 10, false), (6, 6, 0, 9, false), (7, 6, 0, 100, false),
            (6, 3_200, 0, 3_200, true), (3_200, 3_200, 0, 801, true), (3_200, 3_200, 0, 800, false),
            (6, 3_201, 0, 3_200, false), (6, 6, 499, 751, true), (6, 6, 499, 750, false), (6, 6, 500, 3_200, false),
            (6, 6, 0, 3_201, false), (40, 40, 1, 20, false), (40, 40, 1, 21, true), (6, 24, 0, 3_200, true),
        ] as [(UInt16, UInt16, UInt16, UInt16, Bool)] {
            let requested = RequestedConnectionParameters(
                intervalMinimum: minimum, intervalMaximum: maximum, latency: latency, timeout: timeout)
            #expect(requested.isValid == isValid, "\(requested)")
        }
    }

    /// A central grants what reaches its peripheral once in 4 s.
    @Test func aCentralGrantsSilencesUpToFourSeconds() {
        for (interval, latency, isGranted) in [
            (3_200, 0, true), (1_600, 1, true), (1_601, 1, false), (800, 3, true), (800, 4, false), (64, 49, true),
            (65, 49, false), (6, 499, true), (7, 499, false),
        ] as [(UInt16, UInt16, Bool)] {
            let requested = RequestedConnectionParameters(
                intervalMinimum: 6, intervalMaximum: interval, latency: latency, timeout: 3_200)
            #expect(
                requested.isValid && (ParameterPolicy.reachable.granted(requested) == requested) == isGranted,
                "\(requested)")
        }
    }

    /// Technical Q&A QA1931 of Apple, rule by rule, at its limits.
    @Test func theRulesOfApple() {
        for (minimum, maximum, latency, timeout, isGranted) in [
            (12, 12, 0, 200, true), (12, 24, 0, 200, true), (12, 23, 0, 200, false), (11, 24, 0, 200, false),
            (6, 12, 0, 200, false), (24, 36, 0, 200, true), (24, 24, 0, 200, false), (13, 40, 0, 200, false),
            (24, 36, 30, 419, true), (24, 36, 31, 500, false), (24, 36, 30, 418, false), (12, 24, 0, 199, false),
            (12, 24, 0, 600, true), (12, 24, 0, 601, false), (780, 799, 1, 600, true), (780, 800, 1, 600, false),
            (1_584, 1_599, 0, 600, true), (1_584, 1_600, 0, 600, false), (1_584, 1_601, 0, 600, false),
        ] as [(UInt16, UInt16, UInt16, UInt16, Bool)] {
            let requested = RequestedConnectionParameters(
                intervalMinimum: minimum, intervalMaximum: maximum, latency: latency, timeout: timeout)
            #expect((ParameterPolicy.apple.granted(requested) == requested) == isGranted, "\(requested)")
        }
    }

    @Test func aCentralThatRaisesIntervalsKeepsLongerOnes() {
        for (minimum, maximum, granted) in [
            (6, 6, (9, 9)), (6, 12, (9, 12)), (8, 9, (9, 9)), (9, 9, (9, 9)), (24, 40, (24, 40)),
        ] as [(UInt16, UInt16, (UInt16, UInt16))] {
            let requested = RequestedConnectionParameters(
                intervalMinimum: minimum, intervalMaximum: maximum, latency: 0, timeout: 500)
            let result = ParameterPolicy.raised(minimum: 9).granted(requested)
            #expect(result?.intervalMinimum == granted.0 && result?.intervalMaximum == granted.1, "\(requested)")
        }
        let invalid = RequestedConnectionParameters(intervalMinimum: 40, intervalMaximum: 6, latency: 0, timeout: 500)
        #expect(ParameterPolicy.raised(minimum: 9).granted(invalid) == nil)
    }
}
