import BLEWire
import SystemBus

/// org.freedesktop.DBus.Properties of the objects.
extension ScriptedBlueZ {
    private static let readable = "org.freedesktop.DBus.Error.InvalidArgs"

    func properties(_ call: BusCall, _ path: String) {
        let arguments = call.message.body
        guard let interface = arguments.first?.text, let properties = objects[path, interface] else {
            let name = arguments.first?.text ?? ""
            return fail(call, ScriptedFailure(full: Self.readable, "No such interface '\(name)'"))
        }
        if call.message.member == "GetAll" { return reply(call, [.properties(properties)]) }
        guard arguments.count >= 2, let name = arguments[1].text else {
            return fail(call, ScriptedFailure(full: Self.readable, "No arguments given"))
        }
        guard let old = properties[name] else {
            let error = call.message.member == "Set" ? BusCallError.Name.unknownProperty : Self.readable
            return fail(call, ScriptedFailure(full: error, "No such property '\(name)'"))
        }
        if call.message.member == "Get" { return reply(call, [.variant(old)]) }
        guard ["Powered", "Alias", "Discoverable", "Pairable", "Trusted", "Blocked"].contains(name) else {
            return fail(
                call,
                ScriptedFailure(
                    full: "org.freedesktop.DBus.Error.PropertyReadOnly", "Property '\(name)' is not writable"))
        }
        guard arguments.count >= 3, case .variant(let value) = arguments[2], value.signature == old.signature else {
            return fail(
                call,
                ScriptedFailure(
                    full: "org.freedesktop.DBus.Error.InvalidSignature", "Invalid signature for '\(name)'"))
        }
        if name == "Powered", let isOn = value.flag { return setPower(call, path, isOn) }
        reply(call)
        if value != old { set(path, interface, [name: value]) }
    }

    private func setPower(_ call: BusCall, _ path: String, _ isOn: Bool) {
        guard isOn != (property(path, Self.adapter, "Powered")?.flag == true) else { return reply(call) }
        if !isOn { removeTemporaryDevices(of: path) }
        setPowerState(path, isOn ? "off-enabling" : "on-disabling")
        later(timing.power) { bluez in
            bluez.reply(call)
            bluez.setPowered(path, isOn)
        }
    }

    private func setPowerState(_ path: String, _ state: String) {
        if version >= 79 { set(path, Self.adapter, ["PowerState": .string(state)]) }
    }

    /// Turns an adapter on or off. Its links end with the power.
    package func setPowered(_ path: String, _ isOn: Bool, isBlocked: Bool = false) {
        set(path, Self.adapter, ["Powered": .bool(isOn)])
        setPowerState(path, isOn ? "on" : isBlocked ? "off-blocked" : "off")
        guard !isOn else { return }
        discovery.clients[path] = nil
        set(path, Self.adapter, ["Discovering": .bool(false)])
        for device in devices.keys.sorted() where device.hasPrefix(path + "/") && isConnected(device) {
            dropLink(device, .local)
        }
    }
}
