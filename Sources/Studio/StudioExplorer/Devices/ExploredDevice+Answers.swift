import BLEValues
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases

/// The answers of a device to operations: they end what is pending, and enter the tree and the recording. Each gives a line of the log.
extension ExploredDevice {
    /// A characteristic's value arrived as the answer to a read or in a notification, or a read failed.
    mutating func received(_ characteristic: CBCharacteristic, _ error: (any Error)?, at time: Int64) -> CallbackLine {
        let name = characteristic.uuid.description
        let path = path(characteristic)
        let wasRead =
            modify(characteristic) { node in
                defer { node.pendingReads = max(0, node.pendingReads - 1) }
                return node.pendingReads > 0
            } ?? false
        if let error {
            modify(characteristic) { $0.error = AttributeFailure(error) }
            if Self.isRefusal(error) {
                recording.add(.action(.read(characteristic: path, ValueExpectation(), isRefused: true)))
            }
            return .failure("read-failed", Phrase("The read of \(name) failed", "读取 \(name) 失败"), error)
        }
        let octets = Array((characteristic.value ?? Data()).prefix(512))
        let shown =
            modify(characteristic) { node in
                node.add(octets, wasRead ? .read : .notification, at: time)
                return ShownText.name { node.text(octets, $0) }
            } ?? Phrase(data: "")
        recording.add(
            wasRead
                ? .read(characteristic: path, octets: octets, format: nil, shown: shown.description)
                : .notification(characteristic: path, shown: shown.description))
        return .callback(wasRead ? "value" : "notification", Phrase("\(name): \(shown)", "\(name)：\(shown)"))
    }

    /// The answer to the read of a descriptor.
    mutating func received(_ descriptor: CBDescriptor, _ error: (any Error)?, at time: Int64) -> CallbackLine {
        let name = descriptor.uuid.description
        modify(descriptor) { $0.pendingReads = max(0, $0.pendingReads - 1) }
        if let error {
            modify(descriptor) { $0.error = AttributeFailure(error) }
            return .failure("read-failed", Phrase("The read of \(name) failed", "读取 \(name) 失败"), error)
        }
        let octets = Array(descriptor.octets.prefix(512))
        modify(descriptor) { node in
            node.value = ReceivedValue(octets: octets, time: time, source: .read)
            node.error = nil
        }
        if let characteristic = descriptor.characteristic {
            modify(characteristic) { node in
                if let text = descriptor.userDescription { node.label = ShownText.name(text) }
                if let format = descriptor.presentationFormat { node.presentation = format }
            }
        }
        let shown = ShownText.name { AttributeText.text(octets, ofDescriptor: descriptor.uuid, $0) }
        return .callback("value", Phrase("\(name): \(shown)", "\(name)：\(shown)"))
    }

    /// The answer to a write with response.
    mutating func wrote(_ characteristic: CBCharacteristic, _ error: (any Error)?) -> CallbackLine {
        let name = characteristic.uuid.description
        let path = path(characteristic)
        let written = modify(characteristic) { node -> [UInt8]? in
            node.error = error.map { AttributeFailure($0) }
            return node.pendingWrites.isEmpty ? nil : node.pendingWrites.removeFirst()
        }
        if let error {
            if let octets = written ?? nil, Self.isRefusal(error) {
                recording.add(
                    .action(.write(characteristic: path, ScriptValue(octets), response: true, isRefused: true)))
            }
            return .failure("write-failed", Phrase("The write of \(name) failed", "写入 \(name) 失败"), error)
        }
        if let octets = written ?? nil {
            recording.add(.write(characteristic: path, octets: octets, response: true))
        }
        return .callback("written", Phrase("\(name) was written", "已写入 \(name)"))
    }

    /// The answer to a change of a subscription.
    mutating func subscribed(_ characteristic: CBCharacteristic, _ error: (any Error)?) -> CallbackLine {
        let name = characteristic.uuid.description
        modify(characteristic) { node in
            node.error = error.map { AttributeFailure($0) }
            node.pendingSubscriptions = max(0, node.pendingSubscriptions - 1)
        }
        if let error {
            return .failure("subscribe-failed", Phrase("The subscription to \(name) failed", "订阅 \(name) 失败"), error)
        }
        return characteristic.isNotifying
            ? .callback("subscribed", Phrase("\(name) notifies", "\(name) 开始通知"))
            : .callback("unsubscribed", Phrase("\(name) does not notify any more", "\(name) 不再通知"))
    }

    /// The answer to a read of the signal strength, in dBm.
    mutating func received(rssi: NSNumber, _ error: (any Error)?) -> CallbackLine {
        pendingSignals = max(0, pendingSignals - 1)
        if let error {
            return .failure("rssi-failed", Phrase("The signal strength could not be read", "无法读取信号强度"), error)
        }
        // 127: not available (Vol 4, Part E, 7.5.4).
        self.rssi = rssi.intValue == 127 ? nil : rssi.intValue
        recording.add(.action(.rssi(Bounds())))
        return .callback("rssi", Phrase("The signal strength is \(rssi) dBm", "信号强度为 \(rssi) dBm"))
    }

    /// Whether the device answered with an error, as opposed to a link that ended.
    private static func isRefusal(_ error: any Error) -> Bool { error is CBATTError }
}
