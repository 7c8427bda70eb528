import AdvertisementScanning
import BLEAdapter
import BLEWire
import Foundation

/// The received signals of a scan, for a CSV file.
enum SignalLog {
    static let header = "time_s,identifier,address,name,rssi_dBm"

    /// The line of a report.
    static func line(_ discovery: Discovery, name: String?, time: Duration) -> String {
        let rssi = discovery.rssi == 127 ? "" : "\(discovery.rssi)"
        return CSV.line([
            seconds(time, width: 0).replacing(" s", with: ""), discovery.content.identifier.uuid.uuidString,
            discovery.address?.description ?? "", name.map(ValueText.printable) ?? "", rssi,
        ])
    }
}

/// The signals of the strongest devices over time, for a chart. It keeps at most `pointLimit` points of each device: when one has more,
/// every second point goes.
struct SignalChart {
    fileprivate struct Track {
        var points: [ChartPoint] = []
        /// Every `step`th report becomes a point.
        var step = 1
        var skipped = 0
        var sum = 0.0
    }

    static let pointLimit = 2000
    /// The most lines that a chart shows.
    static let seriesLimit = 8
    /// The most devices whose points are kept.
    private static let trackLimit = 512

    private var tracks: [PeerIdentifier: Track] = [:]

    mutating func add(_ discovery: Discovery, at time: Duration) {
        guard discovery.rssi != 127 else { return }
        let peer = discovery.content.identifier
        guard tracks.count < Self.trackLimit || tracks[peer] != nil else { return }
        tracks[peer, default: Track()].add(Double(discovery.rssi), at: time / .seconds(1))
    }

    /// The chart of the devices with the most signal, among those that `names` contains.
    func chart(_ names: [PeerIdentifier: String]) -> LineChart {
        let chosen = tracks.filter { names[$0.key] != nil && !$0.value.points.isEmpty }
            .map { (peer: $0.key, track: $0.value, mean: $0.value.mean) }
            .sorted { ($0.mean, $1.peer.high) > ($1.mean, $0.peer.high) }
            .prefix(Self.seriesLimit)
        return LineChart(
            title: "Signal", unit: "dBm",
            series: chosen.map { LineChart.Series(name: names[$0.peer] ?? "", points: $0.track.points) })
    }
}

extension SignalChart.Track {
    fileprivate var mean: Double {
        points.isEmpty ? -.infinity : points.reduce(0) { $0 + $1.value } / Double(points.count)
    }

    /// Adds a value. The point is the mean of `step` values.
    fileprivate mutating func add(_ value: Double, at time: Double) {
        sum += value
        skipped += 1
        guard skipped >= step else { return }
        points.append(ChartPoint(time: time, value: sum / Double(skipped)))
        sum = 0
        skipped = 0
        guard points.count >= SignalChart.pointLimit else { return }
        points = points.enumerated().compactMap { $0.offset.isMultiple(of: 2) ? $0.element : nil }
        step *= 2
    }
}
