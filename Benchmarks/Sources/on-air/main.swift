// What arrives of what fits the connection events, in virtual time: equal on every machine.
import BLEWire
import Figures

let phys: [(phy: LL.PHY, name: String)] = [(.oneM, "1M"), (.twoM, "2M"), (.codedS2, "S2"), (.codedS8, "S8")]
let intervals: [UInt16] = [24, 80, 320]

func milliseconds(_ interval: UInt16) -> Int { Int((LL.slot * Int(interval)).nanoseconds / 1_000_000) }

/// Each kind of traffic on each PHY at each interval: the lower of what arrives with a MIC in each data PDU and without.
func measureTraffic() {
    for (phy, name) in phys {
        for interval in intervals {
            var percentages: [AirPair.Traffic: Double] = [:]
            for isEncrypted in [false, true] {
                let setting = AirPair.Setting(phy: phy, interval: interval, isEncrypted: isEncrypted)
                let pair = AirPair(setting)
                for traffic in AirPair.Traffic.allCases where setting.limit(bothWays: traffic.goesBothWays) > 0 {
                    let events = interval == 320 ? 10 : 30
                    let percentage = pair?.percentage(traffic, events: events) ?? .nan
                    percentages[traffic] = min(percentages[traffic] ?? .infinity, percentage)
                }
            }
            for traffic in AirPair.Traffic.allCases {
                guard let percentage = percentages[traffic] else { continue }
                let kind = "\(traffic)".lowercased()
                Figure(
                    "on-air.\(name.lowercased()).\(milliseconds(interval))ms.\(kind)", percentage, "% of what fits",
                    title: "\(name), \(milliseconds(interval)) ms, \(traffic.rawValue)"
                ).report()
            }
        }
    }
}

/// The rates that come of it at 400 ms, where whole events are least of an issue.
func measureRates() {
    for isEncrypted in [true, false] {
        for traffic in [AirPair.Traffic.notifications, .channel] {
            let setting = AirPair.Setting(phy: .twoM, interval: 320, isEncrypted: isEncrypted)
            let percentage = AirPair(setting)?.percentage(traffic, events: 30) ?? .nan
            Figure(
                "on-air.rate.\(traffic).\(isEncrypted ? "mic" : "plain")",
                setting.rateLimit(traffic) * percentage / 100, "kbit/s",
                title: "2M, 400 ms, \(traffic.rawValue), \(isEncrypted ? "with" : "without") a MIC"
            ).report()
        }
    }
}

/// What becomes of a value's length: one data PDU, two, or two and the beginning of a third.
func measureLengths() {
    for length in [244, 495, 514] {
        let rate = AirPair(AirPair.Setting(phy: .twoM, interval: 320, valueLength: length))?.rate(events: 30)
        Figure(
            "on-air.length.\(length)", rate ?? .nan, "kbit/s",
            title: "2M, 400 ms, notifications of \(length) octets (ATT_MTU \(length + 3)), with a MIC"
        ).report()
    }
}

/// Links of one central, all as busy as they can: the least of them against the most, and all against one alone.
func measureSharing() {
    for (phy, interval) in [(LL.PHY.twoM, UInt16(24)), (.twoM, 80), (.twoM, 320), (.oneM, 80)] {
        let name = phy == .twoM ? "2M" : "1M"
        guard let alone = Sharing(phy: phy, interval: interval, links: 1).measure(seconds: 8)?.first else { continue }
        for links in 2...8 {
            guard let shares = Sharing(phy: phy, interval: interval, links: links).measure(seconds: 120),
                let least = shares.min(), let most = shares.max()
            else { continue }
            let key = "\(name.lowercased()).\(milliseconds(interval))ms.\(links)"
            let title = "\(links) links of one central, \(name), \(milliseconds(interval)) ms"
            Figure("on-air.sharing.least.\(key)", 100 * least / most, "%", title: "\(title): least of most").report()
            Figure(
                "on-air.sharing.total.\(key)", 100 * shares.reduce(0, +) / alone, "%", title: "\(title): of one alone"
            )
            .report()
        }
    }
}

measureTraffic()
measureRates()
measureLengths()
measureSharing()
