import BLEWire
import Testing

@testable import BLEController

struct PathLossTests {
    /// Exponents with and without square roots give the powers of the logarithms.
    @Test(arguments: [2, 2.5, 2.7, 3, 3.5, 4]) func bothFormsOfThePowerAgree(exponent: Double) {
        var configuration = RadioConfiguration()
        configuration.pathLossExponent = exponent
        let pathLoss = PathLoss(configuration)
        for distance in [0.01, 1, 7.3, 120, 5_000] as [Double] {
            let power = pathLoss.received(power: 4, squaredDistance: distance * distance)
            let milliwatts = pathLoss.receivedMilliwatts(
                power: Mathematics.ratio(decibels: 4), squaredDistance: distance * distance)
            #expect(abs(milliwatts / Mathematics.ratio(decibels: power) - 1) < 1e-9)
        }
    }

    /// The search for interference ends at this limit, because the outcome is the same above it.
    @Test(arguments: LL.PHY.allCases) func noPacketSurvivesHopelessInterference(phy: LL.PHY) {
        let pathLoss = PathLoss(RadioConfiguration())
        for received in [-80, -60, -20] as [Double] {
            let limit = pathLoss.hopelessInterference(received: Mathematics.ratio(decibels: received), phy: phy)
            #expect(pathLoss.success(received: received, phy: phy, bits: 80, interference: limit) < 0x1p-53)
            #expect(pathLoss.success(received: received, phy: phy, bits: 80, interference: limit / 100) > 0.5)
        }
    }

    /// The sensitivity of a PHY is the power with a bit error rate of 0.1 %, and 6 dB below it nothing is detected.
    @Test func eachPHYHasItsSensitivity() {
        var configuration = RadioConfiguration()
        configuration.sensitivity = -90
        let pathLoss = PathLoss(configuration)
        for (phy, sensitivity) in [(.oneM, -90), (.twoM, -87), (.codedS2, -95.3), (.codedS8, -98.8)]
            as [(LL.PHY, Double)]
        {
            #expect(abs(pathLoss.sensitivity(of: phy) - sensitivity) < 1e-9)
            let bit = pathLoss.success(received: sensitivity, phy: phy, bits: 1, interference: 0)
            #expect(abs(bit - 0.999) < 1e-6)
            let octets = pathLoss.success(received: sensitivity, phy: phy, bits: 16, interference: 0)
            #expect(abs(octets - Mathematics.exp(16 * Mathematics.log(bit))) < 1e-9)
            #expect(pathLoss.isDetectable(sensitivity - 5.999, phy: phy))
            #expect(!pathLoss.isDetectable(sensitivity - 6.001, phy: phy))
        }
        #expect(pathLoss.floor == -96)
        #expect(abs(10 * Mathematics.log10(pathLoss.floorMilliwatts) + 96) < 1e-9)
        let range = pathLoss.range(power: 4)
        #expect(abs(pathLoss.received(power: 4, squaredDistance: range * range) + 96) < 1e-9)
        // Antennas are 0.25 m apart or more.
        #expect(
            pathLoss.received(power: 0, squaredDistance: 0) == pathLoss.received(power: 0, squaredDistance: 0.0625))
        #expect(
            pathLoss.received(power: 0, squaredDistance: 0.0625) > pathLoss.received(power: 0, squaredDistance: 0.063))
        #expect(abs(pathLoss.received(power: 0, squaredDistance: 1) + configuration.referenceLoss) < 1e-9)
    }

    @Test func noReceiverDetectsAPowerBelowTheFaintest() {
        let pathLoss = PathLoss(RadioConfiguration())
        let faintest = 10 * Mathematics.log10(pathLoss.faintestMilliwatts)
        for phy in LL.PHY.allCases { #expect(!pathLoss.isDetectable(faintest, phy: phy)) }
    }
}
