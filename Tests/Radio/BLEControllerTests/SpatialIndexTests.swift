import BLEWire
import Testing

@testable import BLEController

/// The air looks only near a sender for its receivers. That it finds the same as a look at everybody would, and that its work
/// does not grow with distant devices.
struct SpatialIndexTests {
    private struct Sent {
        var index: Int32
        var sender: Int32
        var start: Instant
        var end: Instant
        var tuning: Medium.Tuning
        var position: RadioPosition
        var power: Double
    }

    /// Devices on a plane many ranges wide that move, listen and send at random, with a list of all transmissions.
    private struct Plane {
        var medium: Medium
        let pathLoss: PathLoss
        var random: SeededRandom
        var now = Instant.zero
        var tunings: [Medium.Tuning?] = []
        /// Everything that was sent and may overlap a transmission that has not ended.
        var sent: [Sent] = []
        var ended = 0
        var count = 0
        var heard = 0
        var disturbed = 0

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            let configuration = RadioConfiguration()
            pathLoss = PathLoss(configuration)
            medium = Medium(configuration: configuration, random: random.fork())
            for _ in 0..<400 {
                let position = randomPosition()
                let device = medium.addDevice(at: position, power: Double(below(29)) - 20)
                if device % 4 == 0 { medium.subscribe(device, to: Self.dataAddress) }
                tunings.append(nil)
            }
        }

        static let dataAddress: UInt32 = 0x5065_5A81

        mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        mutating func randomPosition() -> RadioPosition {
            RadioPosition(x: Double(below(3_000)) - 1_500, y: Double(below(3_000)) - 1_500)
        }

        mutating func tuning() -> Medium.Tuning {
            let isData = below(4) == 0
            return Medium.Tuning(
                channel: isData ? UInt8(below(2)) * 8 : 37 + UInt8(below(2)), phy: .oneM,
                accessAddress: isData ? Self.dataAddress : LL.advertisingAccessAddress, since: now)
        }

        mutating func act() {
            let device = Int32(below(tunings.count))
            switch below(6) {
            case 0: medium.move(device, to: randomPosition())
            case 1:
                tunings[Int(device)] = nil
                medium.stopListening(device)
            case 2, 3:
                let tuning = tuning()
                tunings[Int(device)] = tuning
                medium.listen(device, to: tuning)
            default:
                guard medium.devices[Int(device)].sending < 0 else { return }
                let (tuning, index) = (tuning(), medium.reserve())
                medium.transmissions[Int(index)].pdu = [UInt8](repeating: 0, count: 2 + below(36))
                let end = medium.begin(index, from: device, at: now, on: tuning, crcInit: 0)
                tunings[Int(device)] = nil
                count += 1
                sent.append(
                    Sent(
                        index: index, sender: device, start: now, end: end, tuning: tuning,
                        position: medium.devices[Int(device)].position, power: medium.devices[Int(device)].power))
            }
        }

        func signal(_ sent: Sent, at device: Int32) -> Double {
            let device = medium.devices[Int(device)].position
            return pathLoss.received(power: sent.power, squaredDistance: sent.position.squaredDistance(to: device))
        }

        /// Ends all that is over by `instant`, one after the other.
        mutating func advance(to instant: Instant) {
            var due = sent.indices.filter { sent[$0].end > now && sent[$0].end <= instant }
            due.sort { (sent[$0].end, $0) < (sent[$1].end, $1) }
            for number in due { end(sent[number]) }
            now = instant
            // No packet of this test takes a millisecond.
            sent.removeAll { $0.end + .milliseconds(1) < now }
        }

        private mutating func end(_ packet: Sent) {
            var octets: [UInt8] = []
            _ = medium.takeEnded(packet.index, pdu: &octets)
            var expected: [Int32: Int8] = [:]
            for (number, tuning) in tunings.enumerated() {
                let device = Int32(number)
                if let tuning, tuning.channel == packet.tuning.channel,
                    tuning.accessAddress == packet.tuning.accessAddress, tuning.since <= packet.start,
                    tuning.accessAddress == LL.advertisingAccessAddress || number % 4 == 0,
                    pathLoss.isDetectable(signal(packet, at: device), phy: .oneM)
                {
                    expected[device] = Int8(max(-127, min(20, signal(packet, at: device).rounded())))
                }
            }
            let receipts = medium.receipts
            #expect(Dictionary(uniqueKeysWithValues: receipts.map { ($0.receiver, $0.rssi) }) == expected)
            heard += receipts.count
            for receipt in receipts {
                var examined = 0
                let found = medium.interference(with: packet.index, at: receipt.receiver, &examined)
                var sum = 0.0
                var terms = 0.0
                for other in sent
                where other.tuning.channel == packet.tuning.channel && other.start < packet.end
                    && other.end > packet.start && (other.sender, other.start) != (packet.sender, packet.start)
                {
                    let power = signal(other, at: receipt.receiver)
                    if power >= pathLoss.floor {
                        sum += Mathematics.ratio(decibels: power)
                        terms += 1
                    }
                }
                if sum > 0 { disturbed += 1 }
                // Each term is rounded to a multiple of the quantum.
                #expect(abs(found - sum) <= sum * 1e-9 + terms * pathLoss.quantum / 2)
            }
            medium.retire(packet.index, pdu: &octets, now: packet.end)
            ended += 1
        }
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>) func theSpatialIndexFindsTheSameReceivers(seed: UInt64) {
        var plane = Plane(seed: seed)
        for _ in 0..<3_000 {
            plane.act()
            plane.advance(to: plane.now + .microseconds(plane.below(15)))
        }
        plane.advance(to: plane.now + .seconds(1))
        #expect(plane.ended == plane.count)
        // Else this shows nothing.
        #expect(plane.ended > 500 && plane.heard > 500 && plane.disturbed > 50)
    }

    /// What is looked at for 100 packets among ten listeners, while `far` devices listen and send out of range.
    private func lookUps(far: Int) -> Int {
        var medium = Medium(configuration: RadioConfiguration(), random: SeededRandom(seed: 1))
        func tuning(_ now: Instant) -> Medium.Tuning {
            Medium.Tuning(channel: 37, phy: .oneM, accessAddress: LL.advertisingAccessAddress, since: now)
        }
        let sender = medium.addDevice(at: .origin, power: 0)
        for number in 1...10 {
            medium.listen(medium.addDevice(at: RadioPosition(x: Double(number)), power: 0), to: tuning(.zero))
        }
        for number in 0..<far {
            let position = RadioPosition(x: 2_000 + Double(number % 100) * 50, y: Double(number / 100) * 50)
            let device = medium.addDevice(at: position, power: 0)
            if number % 2 == 0 {
                medium.listen(device, to: tuning(.zero))
            } else {
                // So long that it is there all the time.
                let index = medium.reserve()
                medium.transmissions[Int(index)].pdu = [UInt8](repeating: 0, count: 255)
                _ = medium.begin(index, from: device, at: .zero, on: tuning(.zero), crcInit: 0)
            }
        }
        var now = Instant.zero
        var heard = 0
        let before = medium.lookUps
        for _ in 0..<100 {
            var octets: [UInt8] = []
            let index = medium.reserve()
            medium.transmissions[Int(index)].pdu = [UInt8](repeating: 0, count: 20)
            now = medium.begin(index, from: sender, at: now, on: tuning(now), crcInit: 0)
            _ = medium.takeEnded(index, pdu: &octets)
            heard += medium.receipts.count
            medium.retire(index, pdu: &octets, now: now)
            now += .milliseconds(10)
        }
        #expect(heard == 1_000)
        return medium.lookUps - before
    }

    @Test(arguments: [10, 100, 1_000, 10_000]) func devicesOutOfRangeAreNotExamined(far: Int) {
        // Each listener for each packet, and for each of these all packets near: this one and the one before.
        #expect(lookUps(far: far) == 100 * 10 + 10 + 99 * 10 * 2)
    }
}
