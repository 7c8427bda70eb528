import BLETransport
import BLEWire
import Glibc
import SystemBus

/// The state of the attributes of devices.
struct ScriptedAttributes {
    struct Characteristic {
        /// The programs that called StartNotify.
        var clients: [String] = []
        /// The ends of the sockets that AcquireNotify and AcquireWrite made, and the owner of the first.
        var notifying: (socket: Descriptor, owner: String)?
        var writing: Descriptor?
    }

    struct Reading {
        let offset: UInt16
        var calls: [BusCall]
    }

    /// The values that devices have, by path. Those of bluetoothd are properties.
    var values: [String: [UInt8]] = [:]
    var characteristics: [String: Characteristic] = [:]
    var reading: [String: Reading] = [:]
    var writing: [String: BusCall] = [:]
    var writes: [ScriptedWrite] = []
}

/// A value that reached a device.
package struct ScriptedWrite: Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let value: [UInt8]
    /// "request", "command", "reliable" or "acquired", which is a command too.
    package let type: String
    package let offset: UInt16

    package var description: String { "\(type) \(value)" + (offset > 0 ? " at \(offset)" : "") }
}

/// org.bluez.GattCharacteristic1 and org.bluez.GattDescriptor1 of devices.
extension ScriptedBlueZ {
    /// What reached devices.
    package var writes: [ScriptedWrite] { attributes.writes }

    func device(of path: String) -> String { path.split(separator: "/").prefix(4).map { "/" + $0 }.joined() }

    // MARK: Objects

    func addServices(of device: String) {
        guard objects[device, Self.device] != nil, let link = devices[device] else { return }
        var handle = 0
        func path(_ parent: String, _ name: String) -> String {
            let digits = String(handle, radix: 16)
            return "\(parent)/\(name)" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        let services = link.device.services.map { service in
            defer { handle += service.characteristics.reduce(0) { $0 + 2 + $1.descriptors.count } }
            handle += 1
            return path(device, "service")
        }
        handle = 0
        for (servicePath, service) in zip(services, link.device.services) {
            handle += 1
            addAttribute(
                servicePath, Self.gattService, handle,
                [
                    "UUID": .string(service.uuid), "Device": .path(device), "Primary": .bool(service.isPrimary),
                    "Includes": .array("o", service.includes.map { .path(services[$0]) }),
                ])
            for characteristic in service.characteristics {
                handle += 1
                let characteristicPath = path(servicePath, "char")
                addCharacteristic(characteristicPath, servicePath, handle, characteristic, link.device.mtu)
                handle += 1
                for descriptor in characteristic.descriptors {
                    handle += 1
                    let descriptorPath = path(characteristicPath, "desc")
                    attributes.values[descriptorPath] = descriptor.value
                    addAttribute(
                        descriptorPath, Self.descriptor, handle,
                        ["UUID": .string(descriptor.uuid), "Characteristic": .path(characteristicPath)])
                }
            }
        }
    }

    private func addAttribute(_ path: String, _ interface: String, _ handle: Int, _ properties: BusProperties) {
        // After a reconnection the objects are still there.
        guard objects[path, interface] == nil else { return }
        add(path, [interface: properties.merging(["Handle": .uint16(UInt16(clamping: handle))]) { $1 }])
    }

    private func addCharacteristic(
        _ path: String, _ service: String, _ handle: Int, _ characteristic: ScriptedCharacteristic, _ mtu: UInt16
    ) {
        attributes.values[path] = attributes.values[path] ?? characteristic.value
        let flags = Set(characteristic.flags)
        var properties: BusProperties = [
            "UUID": .string(characteristic.uuid), "Service": .path(service),
            "Flags": .array("s", characteristic.flags.map { .string($0) }),
        ]
        if version >= 62 { properties["MTU"] = .uint16(mtu) }
        if flags.contains("notify") || flags.contains("indicate") { properties["Notifying"] = .bool(false) }
        if flags.contains("notify") { properties["NotifyAcquired"] = .bool(false) }
        if flags.contains("write-without-response") { properties["WriteAcquired"] = .bool(false) }
        addAttribute(path, Self.characteristic, handle, properties)
    }

    /// The database of a connected device changed: bluetoothd makes the objects again, or those of one service.
    package func changeServices(of device: String, only uuid: String? = nil) {
        removeServices(of: device, uuid)
        flush()
        addServices(of: device)
    }

    func removeServices(of device: String, _ uuid: String? = nil) {
        let changed = objects.all.keys.filter { objects[$0, Self.gattService]?["UUID"]?.text == uuid }
        let isRemoved = { (path: String) in uuid == nil || changed.contains { path == $0 || path.hasPrefix($0 + "/") } }
        for path in objects.all.keys.filter({ $0.hasPrefix(device + "/") && isRemoved($0) }).sorted(by: >) {
            attributes.values[path] = nil
            attributes.characteristics[path] = nil
            remove(path)
        }
    }

    /// The path of the first characteristic of a device with a UUID.
    package func characteristic(_ device: String, _ uuid: String) -> String? {
        objects.all.keys.sorted().first {
            $0.hasPrefix(device + "/") && property($0, Self.characteristic, "UUID")?.text == uuid
        }
    }

    /// The value that a device has for an attribute.
    package func value(_ path: String) -> [UInt8]? { attributes.values[path] }
    package func setValue(_ path: String, _ value: [UInt8]) { attributes.values[path] = value }

    // MARK: Calls

    func attribute(_ call: BusCall, _ path: String) {
        let isConnected = isConnected(device(of: path))
        let member = call.message.member
        guard isConnected || member == "StartNotify" || member == "StopNotify" else {
            return fail(call, .failed("Not connected"))
        }
        switch member {
        case "ReadValue": read(call, path)
        case "WriteValue": write(call, path)
        case "StartNotify": startNotify(call, path)
        case "StopNotify": stopNotify(call, path)
        case "AcquireNotify": acquireNotify(call, path)
        default: acquireWrite(call, path)
        }
    }

    private func options(_ value: BusValue?) -> (offset: UInt16, type: String?)? {
        guard let options = value?.properties else { return nil }
        var offset: UInt16 = 0
        if let value = options["offset"] {
            guard case .uint16(let number) = value else { return nil }
            offset = number
        }
        guard let type = options["type"] else { return (offset, nil) }
        guard case .string(let text) = type else { return nil }
        return (offset, text)
    }

    private func read(_ call: BusCall, _ path: String) {
        guard let (offset, _) = options(call.message.body.first) else { return fail(call, .invalidArguments) }
        if let reading = attributes.reading[path] {
            guard reading.offset == offset else { return fail(call, .inProgress) }
            attributes.reading[path]?.calls.append(call)
            return
        }
        attributes.reading[path] = ScriptedAttributes.Reading(offset: offset, calls: [call])
        respond(path) { bluez in
            guard let reading = bluez.attributes.reading.removeValue(forKey: path) else { return }
            guard bluez.mayRead(path) else {
                for call in reading.calls { bluez.fail(call, .attribute(0x02)) }
                return
            }
            let value = Array((bluez.attributes.values[path] ?? []).dropFirst(Int(offset)))
            // The signal comes first.
            bluez.setCached(path, value)
            for call in reading.calls { bluez.reply(call, [.octets(value)]) }
        }
    }

    private func mayRead(_ path: String) -> Bool {
        property(path, Self.characteristic, "Flags")?.elements?.contains(.string("read")) ?? true
    }

    /// The response of a device, if the link still exists then.
    private func respond(_ path: String, _ body: @escaping @Sendable (ScriptedBlueZ) -> Void) {
        let device = device(of: path)
        let generation = devices[device]?.generation
        later(timing.attribute) { bluez in
            if bluez.devices[device]?.generation == generation { body(bluez) }
        }
    }

    private func write(_ call: BusCall, _ path: String) {
        guard attributes.characteristics[path]?.writing == nil else {
            return fail(call, .notPermitted("Write acquired"))
        }
        guard attributes.writing[path] == nil else { return fail(call, .inProgress) }
        let arguments = call.message.body
        guard let value = arguments.first?.bytes, let (offset, type) = options(arguments.dropFirst().first) else {
            return fail(call, .invalidArguments)
        }
        guard let kind = writeType(path, type, offset) else { return fail(call, .notSupported) }
        let written = ScriptedWrite(path: path, value: value, type: kind, offset: offset)
        guard kind != "command" else {
            receive(written)
            return reply(call)
        }
        attributes.writing[path] = call
        respond(path) { bluez in
            guard let call = bluez.attributes.writing.removeValue(forKey: path) else { return }
            bluez.receive(written)
            bluez.reply(call)
        }
    }

    private func writeType(_ path: String, _ type: String?, _ offset: UInt16) -> String? {
        guard let flags = property(path, Self.characteristic, "Flags")?.elements?.compactMap(\.text) else {
            return "request"
        }
        switch type?.lowercased() {
        case nil where flags.contains("reliable-write"), "reliable": return "reliable"
        case nil where flags.contains("write"), "request": return "request"
        case nil where flags.contains("write-without-response"), "command": return offset == 0 ? "command" : nil
        default: return nil
        }
    }

    func receive(_ write: ScriptedWrite) {
        attributes.writes.append(write)
        let old = attributes.values[write.path] ?? []
        attributes.values[write.path] = old.prefix(Int(write.offset)) + write.value
    }

    /// Sets the value that bluetoothd keeps. Its signal leaves at once.
    func setCached(_ path: String, _ value: [UInt8]) {
        let interface = objects[path, Self.characteristic] != nil ? Self.characteristic : Self.descriptor
        set(path, interface, ["Value": .octets(value)])
        for signal in objects.takeChanges(of: path) { try? bus?.emit(signal) }
    }
}
