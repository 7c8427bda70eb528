import BLEWire
import Testing

/// What arrives of what could, through two whole hosts and their controllers: the layers above the link layer must not cost
/// air time that has not to be spent. Data PDUs have a MIC of four octets, as on an encrypted link; `Benchmarks` measures those
/// without as well, and all intervals on all PHYs.
@Test(
    arguments: [
        (24, .oneM), (80, .oneM), (320, .oneM), (24, .twoM), (320, .twoM), (80, .codedS2), (24, .codedS8),
        (320, .codedS8),
    ] as [(UInt16, LL.PHY)])
func throughputReachesTheLimitOfAConnectionEvent(interval: UInt16, phy: LL.PHY) throws {
    let setting = AirPair.Setting(phy: phy, interval: interval)
    let pair = try #require(AirPair(setting))
    let share = interval >= 320 ? 99.5 : interval >= 80 ? 99 : 97.5
    for traffic in AirPair.Traffic.allCases {
        guard setting.limit(bothWays: traffic.goesBothWays) > 0 else {
            // 30 ms are too short for two packets of 17 ms.
            #expect(phy == .codedS8 && interval == 24 && traffic.goesBothWays)
            continue
        }
        let percentage = pair.percentage(traffic, events: interval == 320 ? 6 : 9) ?? 0
        #expect(percentage >= share, "\(traffic)")
        #expect(percentage < 100.5, "\(traffic)")
    }
}
