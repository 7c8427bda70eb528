import CoreBluetooth
import Foundation
import StudioPhrases

extension Explorer {
    /// The latest values of a characteristic from a number on; none of a descriptor. Call it on the queue.
    package func pastValues(of place: String, of device: UUID, from start: Int = 0) throws(StudioError)
        -> ValueHistoryPage
    {
        let index = try opened(device)
        guard case .characteristic(let node) = try attribute(place, index) else {
            return ValueHistoryPage(values: [], first: 0, count: 0)
        }
        return node.pastValues(from: start)
    }

    /// The log as a file: its lines, then the latest values of each characteristic of the opened devices, the oldest first. Call it on the queue.
    package var logFile: String {
        log.text
            + devices.indices.flatMap { index in
                devices[index].characteristics.filter { !$0.history.values.isEmpty }.map { valueLines($0, index) }
            }.joined()
    }

    private func valueLines(_ node: CharacteristicNode, _ index: Int) -> String {
        let past = node.pastValues()
        var text = "\nValues of \(devices[index].path(node.characteristic)), \(title(index))"
        text += past.values.count < past.count ? " (the last \(past.values.count) of \(past.count)):\n" : ":\n"
        for value in past.values.reversed() {
            text +=
                "\(ExplorerLog.seconds(value.time))  \(value.source.rawValue)  \(value.octets.isEmpty ? "-" : value.octets)  \(value.text)\n"
        }
        return text
    }
}
