import BLEValues
import CoreBluetooth
import DeviceProfiles
import Foundation
import ProfileServing
import YAMLDocuments

/// Serves a profile on a device of the room. Values change with virtual time, so a repeated run has the same values.
///
/// The action `apply` takes `{"yaml": TEXT}` and replaces the profile while the program runs.
package final class ProfileProgram: RoomProgram {
    /// The largest profile in octets. The log of the room's commands keeps the text of each change.
    package static let textLimit = 128 << 10
    /// 2026-01-01 00:00 in seconds since 1970: the local time at which the room begins.
    private static let firstSecond = 1_767_225_600.0
    /// The least time between two reports about updates of one characteristic.
    private static let reportInterval = Duration.seconds(1)

    private let context: RoomProgramContext
    /// The virtual time of the program's start.
    private let began: Duration
    private var server: ProfileServer!
    private var text: String
    private var isAdvertising = false
    private var subscribers: [ObjectIdentifier: Int] = [:]
    private var lastReports: [ObjectIdentifier: Duration] = [:]

    /// - Parameter text: A profile as YAML.
    /// - Throws: `RoomFailure` for a text that is not a profile.
    package init(_ context: RoomProgramContext, profile text: String) throws {
        self.context = context
        self.text = text
        began = context.now()
        let (now, began) = (context.now, began)
        server = ProfileServer(
            try Self.profile(text),
            now: {
                let time = now()
                return ProfileTime(elapsed: time - began, localSeconds: Self.firstSecond + time / .seconds(1))
            },
            report: { [weak self] in self?.handle($0) })
    }

    private static func profile(_ text: String) throws -> DeviceProfile {
        guard text.utf8.count <= textLimit else {
            throw RoomFailure(
                "profile-too-long", "The profile has \(text.utf8.count) octets; at most \(textLimit) are possible.")
        }
        do throws(YAMLProblems) {
            return try DeviceProfile(text: text, file: "profile")
        } catch {
            let first = error.lines.first ?? "it has errors."
            throw RoomFailure(
                "profile-invalid", "The profile is not valid: \(first)", next: "Correct the line in the maker.")
        }
    }

    // MARK: RoomProgram

    package func start() { server.start(queue: context.queue) }

    package func stop() { server.stop() }

    package func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue {
        guard action == "apply", let text = arguments["yaml"]?.string else { throw RoomFailure.unknownAction(action) }
        let profile = try Self.profile(text)
        self.text = text
        lastReports = [:]
        context.report(Happening(.note, "A changed profile is applied."))
        server.apply(profile)
        context.changed()
        return .null
    }

    package var nextDeadline: Duration? { server.nextDeadline.map { began + $0 } }

    package func tick() { server.tick() }

    /// The state for the page.
    package struct State: Codable, Hashable, Sendable {
        /// The advertised name.
        package let name: String?
        package let summary: String?
        package let isAdvertising: Bool
        /// The number of subscriptions.
        package let subscriptions: Int
        /// The profile.
        package let yaml: String
    }

    package var snapshot: (any Encodable & Sendable)? {
        let profile = server.state.profile
        return State(
            name: profile.advertising.localName, summary: profile.summary, isAdvertising: isAdvertising,
            subscriptions: subscribers.values.reduce(0, +), yaml: text)
    }

    // MARK: Events

    private func handle(_ event: ServerEvent) {
        switch event {
        case .state(let state):
            isAdvertising = false
            subscribers = [:]
            lastReports = [:]
            let sentence =
                state == .poweredOn
                ? "Bluetooth is on: the device publishes its services."
                : "Bluetooth is not on: the device serves nothing."
            callback(sentence, "peripheralManagerDidUpdateState(_:)")
        case .published(let service):
            callback("The service \(name(service.uuid)) is published.", "peripheralManager(_:didAdd:error:)")
        case .advertising(let advertising):
            isAdvertising = true
            let name = advertising.localName.map { "as \(Self.shown($0))" } ?? "without a name"
            callback(
                "The device advertises \(name).", "peripheralManagerDidStartAdvertising(_:error:)")
        case .read(let details):
            callback("A central reads \(sentence(details))", "peripheralManager(_:didReceiveRead:)")
        case .write(let details):
            callback("A central writes \(sentence(details))", "peripheralManager(_:didReceiveWrite:)")
        case .subscription(let details):
            let change = details.isSubscribed ? 1 : -1
            let key = ObjectIdentifier(details.characteristic)
            subscribers[key] = max(0, subscribers[key, default: 0] + change)
            lastReports[key] = nil
            let name = name(details.characteristic.uuid)
            if details.isSubscribed {
                callback("A central subscribes to \(name).", "peripheralManager(_:central:didSubscribeTo:)")
            } else {
                callback(
                    "A central ends its subscription to \(name).", "peripheralManager(_:central:didUnsubscribeFrom:)")
            }
        case .update(let characteristic, let value): reportUpdate(of: characteristic, value)
        case .ready: callback("The transmit queue has room again.", "peripheralManagerIsReady(toUpdateSubscribers:)")
        case .lostUpdates(let count):
            context.report(Happening(.error, "\(count) updates are lost: a central writes faster than it receives."))
        case .failed(let sentence): context.report(Happening(.error, "The profile fails: \(sentence)"))
        }
        context.changed()
    }

    private func callback(_ text: String, _ method: String) {
        context.report(Happening(.callback, text, swift: method))
    }

    private func reportUpdate(of characteristic: CBCharacteristic, _ value: [UInt8]) {
        let key = ObjectIdentifier(characteristic)
        let now = context.now()
        if let last = lastReports[key], now - last < Self.reportInterval { return }
        lastReports[key] = now
        context.report(
            Happening(
                .call, "The device sends \(name(characteristic.uuid)): \(Self.shown(value))",
                swift: "manager.updateValue(_:for:onSubscribedCentrals:)"))
    }

    private func sentence(_ details: RequestDetails) -> String {
        let name = name(details.characteristic.uuid)
        if let error = details.error { return "\(name): refused with \(error.word)." }
        return "\(name): \(Self.shown(details.value))"
    }

    private func name(_ uuid: CBUUID) -> String { uuid.description }

    private static func shown(_ value: [UInt8]) -> String {
        let digits = Hexadecimal.text(value.prefix(20))
        return value.isEmpty ? "no octets" : value.count > 20 ? "\(digits)… (\(value.count) octets)" : digits
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
