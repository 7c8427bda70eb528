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
        #expect(host.host.transmitter.fragmentLength == 1_021)
        #expect(host.host.transmitter.bufferCount == 6)
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
}
