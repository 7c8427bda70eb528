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

    @Test func noReceiverDetectsAPowerBelowTheFaintest() {
        let pathLoss = PathLoss(RadioConfiguration())
        let faintest = 10 * Mathematics.log10(pathLoss.faintestMilliwatts)
        for phy in LL.PHY.allCases { #expect(!pathLoss.isDetectable(faintest, phy: phy)) }
    }
}
