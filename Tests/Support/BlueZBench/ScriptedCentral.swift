import BLETransport
import BLEWire
import Glibc
import SystemBus

/// A remote central that uses the applications of programs.
///
/// `@unchecked Sendable`: it is used on the queue of its scheduler.
package final class ScriptedCentral: @unchecked Sendable {
    package typealias Completion = (Result<BusMessage, BusCallError>) -> Void

    /// A notification or an indication that the central received.
    package struct Received: Hashable, Sendable {
        package let path: String
        package let value: [UInt8]
    }

    /// The path of its device.
    package let path: String
    package let mtu: UInt16
    package private(set) var received: [Received] = []

    private weak var bluez: ScriptedBlueZ?
    private let application: ScriptedApplication
    /// 1 for notifications, 2 for indications, by the path of the characteristic.
    private var subscriptions: [String: Int] = [:]
    private var notifying: [String: Descriptor] = [:]
    private var writing: [String: Descriptor] = [:]

    init(_ bluez: ScriptedBlueZ, _ path: String, _ application: ScriptedApplication, mtu: UInt16) {
        (self.bluez, self.path, self.application, self.mtu) = (bluez, path, application, mtu)
    }

    private func has(_ attribute: String, _ property: String) -> Bool {
        application.objects[attribute]?[ScriptedBlueZ.characteristic]?[property] != nil
    }

    private func call(
        _ attribute: String, _ member: String, _ arguments: [BusValue], _ completion: @escaping Completion
    ) {
        let isCharacteristic = application.objects[attribute]?[ScriptedBlueZ.characteristic] != nil
        let interface = isCharacteristic ? ScriptedBlueZ.characteristic : ScriptedBlueZ.descriptor
        bluez?.flush()
        bluez?.bus?.call(application.owner, attribute, interface, member, arguments, completion: completion)
    }

    private func tell(_ attribute: String, _ member: String) {
        bluez?.emit(.call(application.owner, attribute, ScriptedBlueZ.characteristic, member))
    }

    private func options(_ offset: UInt16, _ more: BusProperties = [:]) -> BusValue {
        var options: BusProperties = ["device": .path(path), "link": .string("LE"), "mtu": .uint16(mtu)]
        if offset > 0 { options["offset"] = .uint16(offset) }
        return .properties(options.merging(more) { $1 })
    }

    // MARK: Requests

    package func read(_ attribute: String, offset: UInt16 = 0, completion: @escaping Completion) {
        call(attribute, "ReadValue", [options(offset)], completion)
    }

    /// Writes a value. An application with the property WriteAcquired gets it by its socket.
    ///
    /// - Parameters:
    ///   - type: The option that versions before 5.66 gave: "request", "command" or "reliable".
    ///   - prepares: Whether it is a question whether a prepared write is allowed.
    package func write(
        _ attribute: String, _ value: [UInt8], offset: UInt16 = 0, type: String? = nil, prepares: Bool = false,
        completion: @escaping Completion
    ) {
        var more: BusProperties = [:]
        if let type { more["type"] = .string(type) }
        if prepares { more["prepare-authorize"] = .bool(true) }
        if !prepares, has(attribute, "WriteAcquired") {
            return acquireWrite(attribute) { [self] socket in
                guard let socket, send(socket.number, value, value.count, Int32(MSG_NOSIGNAL)) >= 0 else {
                    return call(attribute, "WriteValue", [.octets(value), options(offset, more)], completion)
                }
                completion(.success(BusMessage(.reply)))
            }
        }
        call(attribute, "WriteValue", [.octets(value), options(offset, more)], completion)
    }

    private func acquireWrite(_ attribute: String, _ completion: @escaping (Descriptor?) -> Void) {
        if let socket = writing[attribute] { return completion(socket) }
        call(attribute, "AcquireWrite", [options(0)]) { [self] result in
            let socket = (try? result.get())?.descriptors.first
            writing[attribute] = socket
            completion(socket)
        }
    }

    /// Subscribes as a central does: by AcquireNotify if the application has the property NotifyAcquired, by StartNotify otherwise.
    package func subscribe(_ attribute: String, indications: Bool = false) {
        let isFirst = subscriptions.isEmpty || subscriptions[attribute] == nil
        subscriptions[attribute] = indications ? 2 : 1
        guard isFirst else { return }
        guard has(attribute, "NotifyAcquired") else { return tell(attribute, "StartNotify") }
        call(attribute, "AcquireNotify", [options(0)]) { [self] result in
            switch result {
            case .success(let reply) where !reply.descriptors.isEmpty: notifying[attribute] = reply.descriptors[0]
            case .failure(.error("org.bluez.Error.Failed", _)): break
            default: tell(attribute, "StartNotify")
            }
        }
    }

    package func unsubscribe(_ attribute: String) {
        guard subscriptions.removeValue(forKey: attribute) != nil else { return }
        if notifying.removeValue(forKey: attribute) == nil { tell(attribute, "StopNotify") }
    }

    /// Reads the notifications that came by sockets.
    package func readSockets() {
        var buffer = [UInt8](repeating: 0, count: 512)
        for (attribute, socket) in notifying.sorted(by: { $0.key < $1.key }) {
            while true {
                let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { notifying[attribute] = nil }
                guard count > 0 else { break }
                received.append(Received(path: attribute, value: Array(buffer.prefix(count))))
            }
        }
    }

    /// A value of a program's signal, cut to the greatest length of an attribute.
    func received(_ owner: String, _ attribute: String, _ value: [UInt8]) {
        guard owner == application.owner, let kind = subscriptions[attribute], notifying[attribute] == nil else {
            return
        }
        received.append(Received(path: attribute, value: Array(value.prefix(512))))
        if kind == 2 { tell(attribute, "Confirm") }
    }

    func end() {
        for attribute in subscriptions.keys.sorted() { unsubscribe(attribute) }
        writing = [:]
    }
}

extension ScriptedBlueZ {
    /// A central connects, for an application. Its device has no services.
    package func connectCentral(
        _ address: String = "F0:00:00:00:00:01", to application: ScriptedApplication, mtu: UInt16 = 517
    ) -> ScriptedCentral {
        let device = ScriptedDevice(address)
        let path = device.path(application.adapter)
        if devices[path] == nil { addDevice(device, to: application.adapter) }
        connectIncoming(path, resolves: false)
        let central = ScriptedCentral(self, path, application, mtu: mtu)
        peripheral.centrals[path] = central
        return central
    }

    func centralIsGone(_ path: String) { peripheral.centrals.removeValue(forKey: path)?.end() }
}
