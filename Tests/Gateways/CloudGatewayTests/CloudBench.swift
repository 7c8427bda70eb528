import BLEAdapter
import BLEWire
import Foundation
import MQTTClient
import Testing

@testable import CloudGateway

/// A session with helpers for tests.
struct CloudBench {
    var session: CloudSession
    var now = Instant.zero

    static let address: UInt64 = 0xACBC_3289_0EA9
    static let peer = PeerIdentifier(high: 0, low: address)
    static let target = "AC:BC:32:89:0E:A9"

    init(_ change: (inout CloudConfiguration) -> Void = { _ in }) throws {
        var configuration = CloudConfiguration(name: "hall", version: "1.0")
        configuration.allowsCommands = true
        change(&configuration)
        session = CloudSession(
            configuration, topics: try CloudTopics(prefix: configuration.prefix, name: configuration.name),
            queueName: "0123abcd", seed: 7, identify: { PeerIdentifier(high: 0, low: $0.value) })
    }

    /// Connected to the broker, with an adapter that is on.
    static func ready(_ change: (inout CloudConfiguration) -> Void = { _ in }) throws -> CloudBench {
        var bench = try CloudBench(change)
        bench.session.start(at: bench.now)
        bench.session.brokerConnected(at: bench.now)
        bench.session.adapterStateChanged(.poweredOn, time: 0)
        _ = bench.take()
        return bench
    }

    mutating func take() -> [CloudAction] {
        defer { session.actions = [] }
        return session.actions
    }

    mutating func advance(_ span: TimeSpan) { now += span }

    mutating func send(_ payload: String, client: String = "me", isRetained: Bool = false) {
        session.brokerReceived(
            MQTTMessage(
                topic: "bluetooth/hall/command/\(client)", payload: Array(payload.utf8), isRetained: isRetained),
            at: now
        )
    }

    /// Sends a command and returns the actions.
    mutating func command(_ id: String, _ op: String, _ arguments: String = "{}") -> [CloudAction] {
        send(#"{"id":"\#(id)","op":"\#(op)","target":"\#(Self.target)","args":\#(arguments)}"#)
        return take()
    }

    /// A link to `peer` with the battery and the heart rate service.
    mutating func connect() {
        _ = command("c", "connect")
        session.linkConnected(Self.peer, at: now, time: 0)
        session.completed(
            Self.peer, at: now,
            .success(
                .services([
                    DiscoveredService(
                        uuid: BluetoothUUID(0x180F as UInt16), range: HandleRange(start: 1, end: 9), isPrimary: true)
                ])))
        session.completed(
            Self.peer, at: now,
            .success(
                .characteristics([
                    DiscoveredCharacteristic(
                        uuid: BluetoothUUID(0x2A19 as UInt16), properties: 0x12, declarationHandle: 2, valueHandle: 3,
                        end: 9)
                ])))
    }

    static func advertisement(
        _ address: UInt64 = address, kind: DeviceAddress.Kind = .public, name: String = "Pulse", rssi: Int8 = -60
    ) -> Discovery {
        let text = Array(name.utf8)
        return Discovery(
            peer: PeerRecord(identifier: PeerIdentifier(high: 0, low: address), name: nil),
            address: DeviceAddress(kind: kind, value: address),
            data: [2, 1, 6, UInt8(text.count + 1), 9] + text + [3, 3, 0x0D, 0x18], isConnectable: true, rssi: rssi)
    }
}

extension [CloudAction] {
    var publications: [MQTTPublication] {
        compactMap { if case .publish(let message, _) = $0 { message } else { nil } }
    }

    var numbers: [UInt64] { compactMap { if case .publish(_, let number) = $0 { number } else { nil } } }

    var stored: [(topic: String, payload: [UInt8])] {
        compactMap { if case .store(let topic, let payload) = $0 { (topic, payload) } else { nil } }
    }

    var commands: [CloudAdapterCommand] { compactMap { if case .adapter(let command) = $0 { command } else { nil } } }

    var subscriptions: [String] { compactMap { if case .subscribe(let filter) = $0 { filter } else { nil } } }
}

func json(_ payload: [UInt8]) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
}
