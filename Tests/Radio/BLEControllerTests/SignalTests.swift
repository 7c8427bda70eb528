import BLEWire
import Glibc
import Testing

@testable import BLEController

/// Powers, ranges and errors of packets, by the documented model and the Core Specification.
struct SignalTests {
    private let pathLoss = PathLoss(RadioConfiguration())

    /// Ten digits of the results; the series leave out terms below 10^-12.
    @Test func theSeriesAgreeWithTheCLibrary() {
        var value = 1e-300
        while value < 1e300 {
            #expect(abs(Mathematics.log(value) - log(value)) <= 1e-12 * max(1, abs(log(value))), "\(value)")
            value *= 1.237
        }
        for step in 0...1_000 {
            let near = 0.5 + Double(step) / 500
            #expect(abs(Mathematics.log(near) - log(near)) < 1e-12, "\(near)")
        }
        for step in -6_900...6_900 {
            let value = Double(step) / 10.03
            #expect(abs(Mathematics.exp(value) / exp(value) - 1) < 1e-12, "\(value)")
        }
        #expect(Mathematics.exp(-701) == 0 && Mathematics.exp(701) == .infinity && Mathematics.exp(0) == 1)
        #expect(
            Mathematics.exp(-.infinity) == 0 && Mathematics.log(0) == -.infinity && Mathematics.log(-1) == -.infinity)
        #expect(Mathematics.log(1) == 0 && Mathematics.log(.leastNonzeroMagnitude) < -700)
        for decibels in [-120, -3, 0, 0.1, 30] as [Double] {
            #expect(abs(Mathematics.ratio(decibels: decibels) / pow(10, decibels / 10) - 1) < 1e-12)
            #expect(abs(Mathematics.log10(Mathematics.ratio(decibels: decibels)) * 10 - decibels) < 1e-10)
        }
    }

    /// 40 dB at one metre and 25 dB for each power of ten, from 0.25 m on.
    @Test func thePowerFallsWithTheDistance() {
        for (distance, power) in [
            (1, -40), (10, -65), (100, -90), (1_000, -115), (0.25, -24.948_5), (0.1, -24.948_5), (0, -24.948_5),
        ]
            as [(Double, Double)]
        {
            #expect(
                abs(pathLoss.received(power: 0, squaredDistance: distance * distance) - power) < 1e-4, "\(distance)")
            #expect(abs(pathLoss.received(power: 8, squaredDistance: distance * distance) - power - 8) < 1e-4)
            let milliwatts = pathLoss.receivedMilliwatts(power: 2, squaredDistance: distance * distance)
            #expect(abs(milliwatts / (2 * pow(10, power / 10)) - 1) < 1e-4, "\(distance)")
        }
        // The noise floor lies 6 dB below the sensitivity of -95 dBm, at 10^(61 / 25) m.
        #expect(pathLoss.floor == -101)
        #expect(abs(pathLoss.range(power: 0) - pow(10, 61.0 / 25)) < 1e-6)
        #expect(abs(pathLoss.range(power: 10) - pow(10, 71.0 / 25)) < 1e-6)
        #expect(abs(pathLoss.floorMilliwatts / pow(10, -10.1) - 1) < 1e-9)
    }

    /// 2M needs 3 dB more than 1M; Coded 5.3 dB and 8.8 dB less. A packet 6 dB below that is not detected.
    @Test(arguments: [(LL.PHY.oneM, -95.0), (.twoM, -92), (.codedS2, -100.3), (.codedS8, -103.8)])
    func eachPHYHasItsSensitivity(phy: LL.PHY, sensitivity: Double) {
        #expect(
            pathLoss.isDetectable(sensitivity - 5.999, phy: phy)
                && !pathLoss.isDetectable(sensitivity - 6.001, phy: phy))
        // A bit error rate of 0.1 % (Vol 6, Part A, 4.1).
        for bits in [80, 368, 2_000] {
            let success = pathLoss.success(received: sensitivity, phy: phy, bits: bits, interference: 0)
            #expect(abs(success - pow(0.999, Double(bits))) < 1e-4, "\(bits)")
        }
        // No errors 7 dB above it, and no packet 6 dB below it.
        for above in [7.19, 7.21, 40, 120] {
            #expect(pathLoss.success(received: sensitivity + above, phy: phy, bits: 2_000, interference: 0) > 0.999_99)
        }
        #expect(pathLoss.success(received: sensitivity - 6, phy: phy, bits: 80, interference: 0) < 0.01)
    }

    /// A receiver stands an interferer on its channel that is weaker by 21 dB, by 17 dB on Coded with two symbols for each bit, and by 12
    /// dB with eight (Vol 6, Part A, 4.2), with a bit error rate of at most 0.1 %. It does not stand one of equal power.
    @Test(arguments: [(LL.PHY.oneM, 21.0), (.twoM, 21), (.codedS2, 17), (.codedS8, 12)])
    func aReceiverStandsAWeakInterferer(phy: LL.PHY, distance: Double) {
        for received in [-30, -60] as [Double] {
            let weak = pow(10, (received - distance) / 10)
            #expect(pathLoss.success(received: received, phy: phy, bits: 368, interference: weak) >= pow(0.999, 368))
            let equal = pow(10, received / 10)
            #expect(pathLoss.success(received: received, phy: phy, bits: 368, interference: equal) < 0.1)
        }
        // The noise and the interferer add up: at the sensitivity, an interferer as strong as the noise doubles it.
        let sensitivities: [LL.PHY: Double] = [.oneM: -95, .twoM: -92, .codedS2: -100.3, .codedS8: -103.8]
        let sensitivity = sensitivities[phy] ?? 0
        let exposures: [LL.PHY: Double] = [.oneM: 1, .twoM: 1, .codedS2: 0.398, .codedS8: 0.126]
        let noise = pow(10, sensitivity / 10) / (2 * log(500)) / (exposures[phy] ?? 0)
        let half = pathLoss.success(received: sensitivity, phy: phy, bits: 100, interference: noise)
        #expect(abs(half - pow(1 - 0.5 * exp(-log(500) / 2), 100)) < 1e-3)
    }

    @Test func interferenceBelowTheNoiseFloorDoesNotCount() {
        let wall = RadioWall(from: RadioPosition(x: 1, y: -5), to: RadioPosition(x: 1, y: 5), attenuation: 10)
        let (open, walled) = (SignalModel(pathLoss, []), SignalModel(pathLoss, [wall, wall]))
        let (here, there) = (RadioPosition.origin, RadioPosition(x: 10))
        #expect(!open.hasWalls && walled.hasWalls)
        #expect(abs(open.signal(0, from: here, at: there) + 65) < 1e-9)
        #expect(abs(walled.signal(0, from: here, at: there) + 85) < 1e-9)
        #expect(abs(walled.signal(0, from: there, at: here) + 85) < 1e-9)
        for (power, inOpen, inWalled) in [
            (0, true, true), (-15.9, true, true), (-16.1, true, false), (-35.9, true, false), (-36.1, false, false),
        ]
            as [(Double, Bool, Bool)]
        {
            let milliwatts = pow(10, power / 10)
            for (model, counts, loss) in [(open, inOpen, 65.0), (walled, inWalled, 85)] {
                let found = model.interference(of: milliwatts, from: here, at: there)
                let expected = counts ? pow(10, (power - loss) / 10) : 0
                #expect(abs(found - expected) <= pathLoss.quantum / 2 + 1e-9 * expected, "\(power) \(loss)")
            }
        }
    }

    /// Sums of interference do not depend on the order, because each is a multiple of a power of two.
    @Test func interferenceIsAMultipleOfTheQuantum() {
        var random = SeededRandom(seed: 3)
        let quantum = pathLoss.quantum
        #expect(
            quantum == quantum.binade && quantum * 4096 <= pathLoss.floorMilliwatts
                && quantum * 8192 > pathLoss.floorMilliwatts)
        for _ in 0..<1_000 {
            let power = pathLoss.floorMilliwatts * pow(10, Double(random.next() % 80) / 10)
            let rounded = pathLoss.rounded(power)
            #expect(abs(rounded - power) <= quantum / 2)
            #expect((rounded / quantum).rounded() == rounded / quantum)
        }
    }

    // MARK: Draws

    /// The draws are uniform, or normal with deviation 1, and each of their inputs counts.
    @Test func theDrawsHaveTheirDistributions() {
        var (sum, squares, normals, normalSquares) = (0.0, 0.0, 0.0, 0.0)
        let count = 20_000
        var seen: Set<Double> = []
        for number in 0..<count {
            var draws = ReceptionDraws(key: 7, sender: 1, receiver: 2, start: Instant(nanoseconds: Int64(number)))
            let unit = draws.unit()
            #expect(unit >= 0 && unit < 1)
            seen.insert(unit)
            sum += unit
            squares += unit * unit
            let normal = draws.normal()
            #expect(abs(normal) <= 6)
            normals += normal
            normalSquares += normal * normal
        }
        let size = Double(count)
        // Five deviations of the means.
        #expect(seen.count == count && abs(sum / size - 0.5) < 0.011 && abs(squares / size - 1.0 / 3) < 0.011)
        #expect(abs(normals / size) < 0.036 && abs(normalSquares / size - 1) < 0.06)
        func first(_ key: UInt64, _ sender: Int32, _ receiver: Int32, _ start: Int64) -> Double {
            var draws = ReceptionDraws(key: key, sender: sender, receiver: receiver, start: Instant(nanoseconds: start))
            return draws.unit()
        }
        #expect(
            Set([
                first(0x5555_0000_0000, 2, 3, 4), first(0x5556_0000_0000, 2, 3, 4), first(0x5555_0000_0000, 3, 3, 4),
                first(0x5555_0000_0000, 2, 2, 4), first(0x5555_0000_0000, 3, 2, 4),
                first(0x5555_0000_0000, 2, 3, 5),
            ]).count == 6)
    }

    /// The receptions of one packet after another, at a receiver that loses a share of them.
    private func outcomes(loss: (medium: Double, sender: Double, receiver: Double), length: Int = 31) -> [AirPacket
        .Outcome: Int]
    {
        var configuration = RadioConfiguration()
        configuration.loss = loss.medium
        let bench = Bench(seed: 2, configuration: configuration)
        let (sender, receiver) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 5)))
        bench.radio.setLoss(loss.sender, of: sender.identifier)
        bench.radio.setLoss(loss.receiver, of: receiver.identifier)
        sender.advertise(
            .nonconnectableUndirected, interval: 0x20,
            data: [UInt8(length - 1)] + [UInt8](repeating: 1, count: length - 1))
        receiver.scan(.passive, interval: 0x4000, window: 0x4000)
        var counts: [AirPacket.Outcome: Int] = [:]
        bench.radio.airObserver = { packet in
            for reception in packet.receptions { counts[reception.outcome, default: 0] += 1 }
        }
        bench.run(for: .seconds(60))
        return counts
    }

    /// A packet arrives if it is lost neither by the medium nor by one of both devices.
    @Test(
        arguments: [
            (0.5, 0, 0, 0.5), (0, 0.5, 0, 0.5), (0, 0, 0.5, 0.5), (0.2, 0.25, 0.5, 0.3), (0, 0, 0, 1), (1, 0, 0, 0),
            (2, 0, 0, 0),
        ]
            as [(Double, Double, Double, Double)])
    func theLossesMultiply(medium: Double, sender: Double, receiver: Double, share: Double) {
        let counts = outcomes(loss: (medium, sender, receiver))
        let total = counts.values.reduce(0, +)
        #expect(total > 2_000)
        // Five deviations.
        let arrived = Double(counts[.received] ?? 0) / Double(total)
        #expect(abs(arrived - share) <= 5 * (share * (1 - share) / Double(total)).squareRoot())
    }

    /// An error within the preamble and the access address, 40 bits of 8 * (47 octets), hides a packet; a later one corrupts it.
    @Test func someLostPacketsAreNotNoticed() {
        for (length, bits) in [(31, 376.0), (1, 136)] {
            let counts = outcomes(loss: (1, 0, 0), length: length)
            let (missed, corrupted) = (Double(counts[.missed] ?? 0), Double(counts[.corrupted] ?? 0))
            let share = 40 / bits
            #expect(counts[.received] == nil && missed + corrupted > 2_000)
            #expect(
                abs(missed / (missed + corrupted) - share) < 5
                    * (share * (1 - share) / (missed + corrupted)).squareRoot())
        }
    }

    /// The RSSI of an event is -127 to 20 dBm (Vol 4, Part E, 7.7.65.2).
    @Test(
        arguments: [
            (0, 20, 0, -5), (10, 20, 0, 5), (60, 20, 0, 20), (0, -40, 6_000_000, -127), (0, 0, 10, -65),
            (0, 0, 10.3, -65), (0, 0, 10.6, -66),
        ]
            as [(Double, Int8, Double, Int8)])
    func theRSSIIsLimited(gain: Double, power: Int8, distance: Double, rssi: Int8) {
        var configuration = RadioConfiguration()
        configuration.referenceLoss = 40 - gain
        configuration.sensitivity = -250
        let bench = Bench(configuration: configuration)
        bench.addHost { $0.transmitPower = power }.advertise(.nonconnectableUndirected, interval: 0x20)
        let scanner = bench.addHost(at: RadioPosition(x: distance))
        scanner.scan(.passive)
        bench.run(for: .seconds(1))
        #expect(Set(scanner.reports.map(\.rssi)) == [rssi])
    }
}
