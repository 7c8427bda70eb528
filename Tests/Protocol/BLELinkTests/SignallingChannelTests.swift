import BLEWire
import Testing

@testable import BLELink

struct SignallingChannelTests {
    private let wish = L2CAP.ConnectionParameterUpdateRequest(
        intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 200)

    private func receive(
        _ channel: inout SignallingChannel, _ packet: [UInt8]
    ) -> (SignallingChannel.Action, [UInt8]) {
        var output: [UInt8] = []
        return (channel.receive(packet.span, output: &output), output)
    }

    @Test func theCentralAnswersAParameterUpdateRequest() {
        var channel = SignallingChannel(role: .central)
        let (action, output) = receive(&channel, [0x12, 5, 8, 0, 6, 0, 12, 0, 0, 0, 200, 0])
        #expect(action == .parameterUpdateRequested(identifier: 5, wish))
        #expect(output.isEmpty)
        var answer: [UInt8] = []
        channel.respond(identifier: 5, accepted: false, output: &answer)
        #expect(answer == [0x13, 5, 2, 0, 1, 0])
    }

    @Test func thePeripheralsRequestIsAnsweredOnce() {
        var channel = SignallingChannel(role: .peripheral)
        var output: [UInt8] = []
        #expect(channel.requestParameterUpdate(wish, at: .zero, output: &output) == true)
        #expect(output == [0x12, 1, 8, 0, 6, 0, 12, 0, 0, 0, 200, 0])
        #expect(channel.requestParameterUpdate(wish, at: .zero, output: &output) == false)
        #expect(receive(&channel, [0x13, 2, 2, 0, 0, 0]).0 == .ignored(.unexpectedResponse))
        #expect(receive(&channel, [0x13, 1, 2, 0, 0, 0]).0 == .parameterUpdateAnswered(accepted: true))
        #expect(receive(&channel, [0x13, 1, 2, 0, 0, 0]).0 == .ignored(.unexpectedResponse))
        #expect(channel.deadline == nil)
    }

    @Test func aRejectOrATimeoutEndsTheRequest() {
        var channel = SignallingChannel(role: .peripheral)
        var output: [UInt8] = []
        _ = channel.requestParameterUpdate(wish, at: .zero, output: &output)
        #expect(receive(&channel, [0x01, 1, 2, 0, 0, 0]).0 == .parameterUpdateAnswered(accepted: false))
        _ = channel.requestParameterUpdate(wish, at: .zero, output: &output)
        #expect(channel.handleTimeout(at: Instant(nanoseconds: 29_999_999_999)) == .none)
        #expect(channel.handleTimeout(at: .zero + .seconds(30)) == .parameterUpdateTimedOut)
        #expect(channel.handleTimeout(at: .zero + .seconds(60)) == .none)
    }

    @Test func unknownPacketsAreRejectedAndMalformedOnesIgnored() {
        var channel = SignallingChannel(role: .peripheral)
        var (action, output) = receive(&channel, [0x7F, 9, 0, 0])
        #expect(action == .refused(.unknownCode(0x7F)))
        #expect(output == [0x01, 9, 2, 0, 0, 0])
        (action, output) = receive(&channel, [0x12, 3, 8, 0, 6, 0, 12, 0, 0, 0, 200, 0])
        #expect(action == .refused(.wrongRole))
        #expect(output == [0x01, 3, 2, 0, 0, 0])
        (action, output) = receive(&channel, [0x12, 0, 0, 0])
        #expect(action == .ignored(.malformed))
        #expect(output.isEmpty)
        (action, output) = receive(&channel, [0x12])
        #expect(action == .ignored(.malformed))
        (action, output) = receive(&channel, [0x07, 1, 4, 0, 0, 0, 0, 0])
        #expect(action == .ignored(.unexpectedResponse))
        #expect(output.isEmpty)
    }

    @Test func aPacketAboveTheMTUIsRejectedWithTheMTU() {
        var channel = SignallingChannel(role: .central)
        let (action, output) = receive(&channel, [0x7F, 4, 20, 0] + [UInt8](repeating: 0, count: 20))
        #expect(action == .refused(.tooLong))
        #expect(output == [0x01, 4, 4, 0, 1, 0, 23, 0])
    }

    @Test func identifiersNeverBecomeZero() {
        var channel = SignallingChannel(role: .peripheral)
        for count in 1...300 {
            var output: [UInt8] = []
            #expect(channel.requestParameterUpdate(wish, at: .zero, output: &output) == true)
            #expect(output[1] == UInt8((count - 1) % 127 + 1))
            _ = channel.handleTimeout(at: .zero + .seconds(30))
        }
    }
}
