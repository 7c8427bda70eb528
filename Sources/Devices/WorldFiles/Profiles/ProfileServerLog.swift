import BLEValues
import BLEWire
import CoreBluetooth
import DeviceFiles
import Phrases

extension Phrase {
    package static let profileApplied = Phrase("A changed profile is applied.", "已应用更改后的配置文件。")
}

/// Describes the events of a `ProfileServer` for people.
package struct ProfileServerLog {
    /// The least time between two descriptions of updates of one characteristic.
    private static let updateInterval = Duration.seconds(1)

    package private(set) var isAdvertising = false
    /// By the numbers of characteristics.
    private var subscribers: [Int: Int] = [:]
    private var lastUpdates: [Int: Duration] = [:]

    package init() {}

    /// The number of subscriptions.
    package var subscriptions: Int { subscribers.values.reduce(0, +) }

    /// Adds an event. Returns nil for an update soon after another one of the same characteristic.
    package mutating func happening(_ event: ServerEvent, at time: Duration) -> ProgramEvent? {
        switch event {
        case .state(let state):
            (isAdvertising, subscribers, lastUpdates) = (false, [:], [:])
            let isOn = state == .poweredOn
            return callback(
                isOn
                    ? Phrase("Bluetooth is on: the device publishes its services.", "蓝牙已开启：设备发布它的服务。")
                    : Phrase("Bluetooth is not on: the device serves nothing.", "蓝牙未开启：设备不提供服务。"),
                "peripheralManagerDidUpdateState(_:)")
        case .published(let service):
            return callback(
                Phrase("The service \(service.uuid) is published.", "服务 \(service.uuid) 已发布。"),
                "peripheralManager(_:didAdd:error:)")
        case .advertising(let advertising):
            isAdvertising = true
            let text =
                advertising.localName.map(Self.shown).map {
                    Phrase("The device advertises as \($0).", "设备以名称 \($0) 广播。")
                } ?? Phrase("The device advertises without a name.", "设备开始广播，不带名称。")
            return callback(text, "peripheralManagerDidStartAdvertising(_:error:)")
        case .read(let details):
            let (name, answer) = (details.characteristic.uuid, Self.answer(details))
            return callback(
                Phrase("A central reads \(name): \(answer)", "中心设备读取 \(name)：\(answer)"),
                "peripheralManager(_:didReceiveRead:)")
        case .write(let details):
            let (name, answer) = (details.characteristic.uuid, Self.answer(details))
            return callback(
                Phrase("A central writes \(name): \(answer)", "中心设备写入 \(name)：\(answer)"),
                "peripheralManager(_:didReceiveWrite:)")
        case .subscription(let details):
            count(details.characteristic, isSubscribed: details.isSubscribed)
            let name = details.characteristic.uuid.description
            return details.isSubscribed
                ? callback(
                    Phrase("A central subscribes to \(name).", "中心设备订阅了 \(name)。"),
                    "peripheralManager(_:central:didSubscribeTo:)")
                : callback(
                    Phrase("A central ends its subscription to \(name).", "中心设备取消了对 \(name) 的订阅。"),
                    "peripheralManager(_:central:didUnsubscribeFrom:)")
        case .update(let characteristic, let value): return update(of: characteristic, value, at: time)
        case .ready:
            return callback(
                Phrase("The transmit queue has room again.", "发送队列又有空位了。"),
                "peripheralManagerIsReady(toUpdateSubscribers:)")
        case .lostUpdates(let count):
            return ProgramEvent(
                .error,
                Phrase(
                    "\(count) updates are lost: a central writes faster than it receives.",
                    "丢失了 \(count) 次更新：中心设备写入的速度快于接收的速度。"))
        case .failed(let sentence):
            let reason = ServingProblems.phrase(sentence)
            return ProgramEvent(.error, Phrase("The profile fails: \(reason)", "配置文件运行失败：\(reason)"))
        }
    }

    private mutating func count(_ characteristic: CBCharacteristic, isSubscribed: Bool) {
        let key = Self.number(characteristic)
        let count = subscribers[key, default: 0] + (isSubscribed ? 1 : -1)
        // Characteristics of former profiles leave nothing behind.
        subscribers[key] = count > 0 ? count : nil
        lastUpdates[key] = nil
    }

    private mutating func update(
        of characteristic: CBCharacteristic, _ value: [UInt8], at time: Duration
    ) -> ProgramEvent? {
        let key = Self.number(characteristic)
        if let last = lastUpdates[key], time - last < Self.updateInterval { return nil }
        lastUpdates[key] = time
        let octets = Self.shown(value)
        return ProgramEvent(
            .call,
            Phrase("The device sends \(characteristic.uuid): \(octets)", "设备发送 \(characteristic.uuid)：\(octets)"),
            swift: "manager.updateValue(_:for:onSubscribedCentrals:)")
    }

    private static func number(_ characteristic: CBCharacteristic) -> Int {
        (characteristic as? ServedCharacteristic)?.number ?? -1
    }

    private func callback(_ text: Phrase, _ method: String) -> ProgramEvent {
        ProgramEvent(.callback, text, swift: method)
    }

    private static func answer(_ details: RequestDetails) -> Phrase {
        guard let error = details.error else { return shown(details.value) }
        return Phrase("refused with \(error.word).", "被拒绝，错误为 \(error.word)。")
    }

    private static func shown(_ value: [UInt8]) -> Phrase {
        let digits = Hexadecimal.text(value.prefix(20))
        if value.isEmpty { return Phrase("no octets", "没有数据") }
        guard value.count > 20 else { return Phrase(data: digits) }
        return Phrase("\(digits)… (\(value.count) octets)", "\(digits)…（\(value.count) 字节）")
    }

    /// A name without characters that change the direction or the lines of a text.
    private static func shown(_ name: String) -> String {
        String(
            name.prefix(64).map { character in
                let isPrintable = character.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                        false
                    default: true
                    }
                }
                return isPrintable ? character : "\u{FFFD}"
            })
    }
}
