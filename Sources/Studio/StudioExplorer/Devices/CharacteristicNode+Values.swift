import BLEPacketDecoding
import BLEValues
import BLEWire
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases

extension CharacteristicNode {
    /// The octets of a value as the user entered it.
    func octets(of value: ExplorerAction.WriteValue) throws(PhrasedError) -> [UInt8] {
        let octets: [UInt8]
        do throws(ValueError) {
            if value.format == "sig" {
                guard let schema else {
                    throw ValueError(description: "the SIG defines no format for this characteristic.")
                }
                octets = try schema.encode(value.text)
            } else {
                guard let format = ValueFormat(name: value.format) else {
                    throw ValueError(description: "\"\(value.format.prefix(32))\" is not a format.")
                }
                octets = try format.octets(value.text)
            }
        } catch {
            throw PhrasedError("value", ValueProblems.phrase(error.description))
        }
        // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
        guard octets.count <= 512 else {
            throw PhrasedError(
                "too-long",
                Phrase(
                    "A value has at most 512 octets; this one has \(octets.count).",
                    "值最多有 512 字节，这个值有 \(octets.count) 字节。"))
        }
        return octets
    }
}

extension ValueDetail {
    /// A value in all formats.
    init(_ octets: [UInt8], _ schema: Schema?) {
        let fields = (try? schema?.decode(octets))?.entries ?? []
        self.init(
            octets: Hexadecimal.digits(octets),
            fields: fields.prefix(64).map { field in
                Field(
                    name: Phrase(data: field.name, chinese: ValueWords.name(field, in: .chinese)),
                    text: ShownText.value(
                        ValueWords.text(field, in: .english), chinese: ValueWords.text(field, in: .chinese)))
            },
            formats: ValueFormat.all.compactMap { format in
                format.text(octets).map { FormattedValue(format: format.name, text: ShownText.value($0)) }
            })
    }
}

extension ExploredDevice {
    /// The attribute at a place such as `2.1`.
    ///
    /// - Throws: If the device does not have it any more.
    func existing(_ place: String) throws(PhrasedError) -> Attribute {
        guard let attribute = attribute(place) else {
            throw PhrasedError(
                "unknown-attribute", Phrase("The device has no such attribute any more.", "设备上不再有这个属性。"),
                next: Phrase("Discover its services again.", "请重新发现它的服务。"))
        }
        return attribute
    }

    /// The characteristic at a place.
    ///
    /// - Throws: If there is none, or too many operations wait for it.
    func characteristic(_ place: String) throws(PhrasedError) -> CharacteristicNode {
        guard case .characteristic(let node) = try existing(place) else { throw PhrasedError.actionArguments }
        guard node.pending < Self.pendingLimit else { throw PhrasedError.busyDevice }
        return node
    }

    /// Decides how a value is written.
    ///
    /// - Parameter response: Whether the device responds; nil: if the characteristic supports it.
    /// - Throws: If the characteristic or the link does not support the write.
    func writeType(
        of octets: [UInt8], to characteristic: CBCharacteristic, response: Bool?
    ) throws(PhrasedError) -> CBCharacteristicWriteType {
        let properties = characteristic.properties
        guard !properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
            throw PhrasedError("not-writable", Phrase("The characteristic cannot be written.", "这个特征不可写入。"))
        }
        if response ?? properties.contains(.write) {
            guard properties.contains(.write) else {
                throw PhrasedError(
                    "needs-no-response",
                    Phrase("The characteristic does not support writes with response.", "这个特征不支持有响应写入。"),
                    next: Phrase("Write without response.", "请使用无响应写入。"))
            }
            return .withResponse
        }
        let withResponse = Phrase("Write with response.", "请使用有响应写入。")
        guard properties.contains(.writeWithoutResponse) else {
            throw PhrasedError(
                "needs-response",
                Phrase("The characteristic does not support writes without response.", "这个特征不支持无响应写入。"),
                next: withResponse)
        }
        let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw PhrasedError(
                "too-long",
                Phrase(
                    "A write without response carries at most \(limit) octets on this link; this one has \(octets.count).",
                    "在这条链路上，无响应写入最多携带 \(limit) 字节，这次有 \(octets.count) 字节。"),
                next: properties.contains(.write) ? withResponse : nil)
        }
        guard queuedWrites.count < Self.queueLimit else {
            throw PhrasedError(
                "busy",
                Phrase(
                    "\(Self.queueLimit) writes wait for space in the buffer.",
                    "有 \(Self.queueLimit) 次写入正在等待缓冲区的空间。"),
                next: Phrase("Wait a moment.", "请稍候。"))
        }
        return .withoutResponse
    }

    /// The latest values of each characteristic, the oldest first, as lines of a file.
    var valueLines: String {
        characteristics.filter { !$0.history.values.isEmpty }.map { node in
            let past = node.pastValues()
            var text = "\nValues of \(path(node.characteristic)), \(title)"
            text += past.values.count < past.count ? " (the last \(past.values.count) of \(past.count)):\n" : ":\n"
            for value in past.values.reversed() {
                text +=
                    "\(ExplorerLog.seconds(value.time))  \(value.source.rawValue)  \(value.octets.isEmpty ? "-" : value.octets)  \(value.text)\n"
            }
            return text
        }.joined()
    }
}

extension PhrasedError {
    static let busyDevice = PhrasedError(
        "busy",
        Phrase(
            "\(ExploredDevice.pendingLimit) operations wait for the device.",
            "有 \(ExploredDevice.pendingLimit) 个操作正在等待设备。"),
        next: Phrase("Wait for its answers.", "请等待它的响应。"))
}
