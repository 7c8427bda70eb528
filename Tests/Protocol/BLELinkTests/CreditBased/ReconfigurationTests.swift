import BLEWire
import Testing

@testable import BLELink

/// New limits of open channels (Vol 3, Part A, 4.27 and 4.28).
struct ReconfigurationTests {
    /// A server with two channels of a client whose ends are 0041 and 0042, MTU and MPS 100.
    private func open() -> ChannelEnd {
        var end = ChannelEnd()
        end.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        #expect(end.answer(enhancedRequest([0x41, 0x42], credits: 20)).count == 1)
        end.clear()
        return end
    }

    @Test("L2CAP/ECFC/BV-23-C, BV-25-C: a peer changes its limits")
    func aPeerChangesItsLimits() {
        var end = open()
        for (mtu, mps) in [(200, 120), (200, 70), (201, 80)] as [(UInt8, UInt8)] {
            end.clear()
            #expect(end.reconfigureAnswer(mtu: mtu, mps: mps, [0x41]) == 0)
            #expect(end.events == [.reconfigured(1, sendMTU: Int(mtu))])
            #expect(end.send(.pattern(Int(mtu)), on: 1) == .queued)
            #expect(end.send(.pattern(Int(mtu) + 1), on: 1) == .invalidLength)
            let frames = end.frames().filter { $0.channel == 0x41 }
            #expect(frames.first?.payload.count == Int(mps))
            #expect(frames.map(\.payload.count).reduce(0, +) == Int(mtu) + 2)
        }
        #expect(end.send(.pattern(101), on: 2) == .invalidLength, "the other channel has its old limits")
        #expect(end.reconfigureAnswer(mtu: 210, mps: 100, [0x41, 0x42]) == 0)
        #expect(end.send(.pattern(210), on: 2) == .queued)
    }

    @Test("L2CAP/ECFC/BI-03-C to BI-07-C: changes that are not allowed are refused, and the channels stay")
    func changesThatAreNotAllowedAreRefused() {
        var end = open()
        #expect(end.reconfigureAnswer(mtu: 99, mps: 100, [0x41]) == 1)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 99, [0x41, 0x42]) == 2)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x43]) == 3)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x41, 0x41]) == 3)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 63, [0x41]) == 4)
        #expect(end.reconfigureAnswer(mtu: 63, mps: 100, [0x41]) == 4)
        #expect(end.events.isEmpty && end.machine.count == 2)
        // An MPS between those of the two channels.
        #expect(end.reconfigureAnswer(mtu: 100, mps: 120, [0x41]) == 0)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 110, [0x41, 0x42]) == 2)
        // Channels of the basic mode have fixed limits.
        #expect(end.answer([0x14, 2, 10, 0, 0x80, 0, 0x50, 0, 100, 0, 100, 0, 1, 0]).first?[12] == 0)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x50]) == 3)
    }

    @Test("L2CAP/ECFC/BV-22-C, BV-24-C: this side changes its limits")
    func thisSideChangesItsLimits() {
        var pair = ChannelPair()
        let offer = CreditBasedOffer(.enhanced, mtu: 100, mps: 100)
        let numbers = pair.client.machine.connect(2, spsm: 0x80, offer: offer, at: .zero)
        pair.settle()
        #expect(pair.client.machine.reconfigure(numbers, mtu: 99, mps: 100, at: .zero) == false, "a smaller MTU")
        #expect(pair.client.machine.reconfigure(numbers, mtu: 100, mps: 99, at: .zero) == false, "a smaller MPS of two")
        #expect(pair.client.machine.reconfigure(numbers, mtu: 100, mps: 63, at: .zero) == false)
        #expect(pair.client.machine.reconfigure([], mtu: 100, mps: 100, at: .zero) == false)
        #expect(pair.client.machine.reconfigure([numbers[0], numbers[0]], mtu: 100, mps: 100, at: .zero) == false)
        #expect(pair.client.machine.reconfigure([77], mtu: 100, mps: 100, at: .zero) == false)
        for (mtu, mps, channels) in [(300, 200, numbers), (300, 120, [numbers[1]]), (301, 130, [numbers[1]])] {
            pair.client.clear()
            pair.server.clear()
            #expect(pair.client.machine.reconfigure(channels, mtu: UInt16(mtu), mps: UInt16(mps), at: .zero) == true)
            #expect(pair.client.machine.reconfigure(channels, mtu: 400, mps: 400, at: .zero) == false, "one at a time")
            pair.settle()
            #expect(pair.client.events == channels.map { .reconfigureAnswered($0, .successful) })
            #expect(pair.client.machine.deadline == nil)
            let far = channels == numbers ? [UInt32(1), 2] : [2]
            for number in far { #expect(pair.server.send(.pattern(mtu), on: number) == .queued) }
            pair.settle()
            #expect(pair.client.sdus.map(\.octets.count) == far.map { _ in mtu })
        }
        // A frame longer than the new MPS ends the channel.
        let local = pair.client.machine.channels[1].local.rawValue
        pair.client.receive([200, 0] + [UInt8](repeating: 1, count: 129), on: local)
        #expect(pair.client.events.last == .closed(numbers[1], .violation(.frameTooLong)))
    }

    @Test func aRefusalOrSilenceKeepsTheChannel() {
        var end = ChannelEnd()
        let offer = CreditBasedOffer(.enhanced, mtu: 100, mps: 100)
        let number = end.machine.connect(1, spsm: 0x80, offer: offer, at: .zero)[0]
        let request = end.frames().first?.payload ?? []
        end.receive([0x18, request[1], 10, 0, 90, 0, 90, 0, 5, 0, 0, 0, 0x41, 0], on: 5)
        end.clear()
        #expect(end.machine.reconfigure([number], mtu: 200, mps: 80, at: .zero) == true)
        let change = end.frames().last?.payload ?? []
        #expect(change == [0x19, change[1], 6, 0, 200, 0, 80, 0, 0x40, 0])
        end.receive([0x1A, change[1], 2, 0, 4, 0], on: 5)
        #expect(end.machine.reconfigure([number], mtu: 200, mps: 100, at: .zero) == true)
        end.handleTimeout(at: .zero + .seconds(30))
        #expect(end.machine.reconfigure([number], mtu: 200, mps: 100, at: .zero + .seconds(30)) == true)
        end.receive([0x01, end.frames().last?.payload[1] ?? 0, 2, 0, 0, 0], on: 5)
        #expect(
            end.events == [
                .reconfigureAnswered(number, .unacceptableParameters), .reconfigureAnswered(number, nil),
                .reconfigureAnswered(number, nil),
            ])
        #expect(end.send([1], on: number) == .queued && end.machine.deadline == nil)
    }
}
