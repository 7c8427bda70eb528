import BLEWire
import CLinuxBluetooth

/// A Bluetooth adapter of this machine, with the data that the kernel provides without privileges.
package struct LocalAdapter: Hashable, Sendable {
    package enum Power: Hashable, Sendable {
        /// The kernel does not report the state.
        case unknown
        case down
        case up
        /// A program has opened its HCI user channel.
        case taken
    }

    package enum Switch: Hashable, Sendable {
        case on
        /// The radio is switched off by software. `rfkill unblock bluetooth` switches it on.
        case softBlocked
        /// The radio is switched off by hardware. No command switches it on.
        case hardBlocked
    }

    package var index: UInt16
    /// The product name; nil if the adapter reports none.
    package var product: String?
    /// Nil if the kernel does not report it, or the adapter has none.
    package var address: DeviceAddress?
    /// `usb`, `uart`, `virtual` and so on.
    package var bus: String
    package var power: Power
    package var radio: Switch

    package var name: String { "hci\(index)" }

    package init(
        index: UInt16, product: String?, address: DeviceAddress?, bus: String, power: Power, radio: Switch
    ) {
        self.index = index
        self.product = product
        self.address = address
        self.bus = bus
        self.power = power
        self.radio = radio
    }
}

extension SystemBluetooth {
    /// Requests to the kernel. Tests replace them.
    struct KernelQueries {
        /// The kernel's information about these adapters (HCIGETDEVINFO). Adapters without information are left out.
        var information: ([UInt16]) -> [clb_device_info] = { indices in
            let control = clb_open_control()
            guard control >= 0 else { return [] }
            defer { _ = close(control) }
            return indices.compactMap { index in
                var information = clb_device_info()
                return clb_read_device_info(control, index, &information) >= 0 ? information : nil
            }
        }
        /// The adapters whose user channel is not open; nil if the kernel does not answer (mgmt Read Controller Index
        /// List).
        var managed: () -> [UInt16]? = {
            var indices = [UInt16](repeating: 0, count: 64)
            let count = clb_list_managed_devices(&indices, Int32(indices.count))
            return count >= 0 ? Array(indices.prefix(Int(count))) : nil
        }
    }

    /// Whether the kernel supports Bluetooth.
    package var hasBluetooth: Bool {
        let control = clb_open_control()
        guard control >= 0 else { return false }
        _ = close(control)
        return true
    }

    /// The adapters of this machine in the order of their numbers. Needs no privileges.
    package func localAdapters() -> [LocalAdapter] { localAdapters(KernelQueries()) }

    func localAdapters(_ queries: KernelQueries) -> [LocalAdapter] {
        let indices = adapters()
        guard !indices.isEmpty else { return [] }
        let information = queries.information(indices)
        let managed = queries.managed()
        return indices.map { index in
            let information = information.first { $0.index == index }
            return LocalAdapter(
                index: index, product: product(index), address: information.flatMap(Self.address),
                bus: bus(index, information), power: Self.power(index, information, managed), radio: radio(index))
        }
    }

    private static func address(_ information: clb_device_info) -> DeviceAddress? {
        let octets = information.address
        var value: UInt64 = 0
        for octet in [octets.5, octets.4, octets.3, octets.2, octets.1, octets.0] { value = value << 8 | UInt64(octet) }
        return value == 0 ? nil : DeviceAddress(kind: .public, value: value)
    }

    private static func power(_ index: UInt16, _ information: clb_device_info?, _ managed: [UInt16]?)
        -> LocalAdapter.Power
    {
        guard let information else { return .unknown }
        guard information.flags & 1 != 0 else { return .down }
        if let managed, !managed.contains(index) { return .taken }
        return .up
    }

    func directory(_ index: UInt16) -> String { root + "/sys/class/bluetooth/hci\(index)" }

    private func bus(_ index: UInt16, _ information: clb_device_info?) -> String {
        let names = [
            "virtual", "usb", "pc card", "uart", "rs232", "pci", "sdio", "spi", "i2c", "smd", "virtio", "ipc",
        ]
        if let information, Int(information.type & 0x0F) < names.count { return names[Int(information.type & 0x0F)] }
        guard let link = SystemFiles.link(directory(index) + "/device/subsystem") else { return "virtual" }
        let name = link.split(separator: "/").last.map(String.init) ?? "unknown"
        return name == "serial" || name == "tty" ? "uart" : name
    }

    /// The product name. The adapter of a USB device is below an interface, whose parent has the name.
    private func product(_ index: UInt16) -> String? {
        for path in ["/device/../product", "/device/product"] {
            if let text = SystemFiles.line(directory(index) + path), !text.isEmpty { return text }
        }
        return nil
    }

    /// The adapter's own rfkill switch. The kernel does not operate it while a program has opened the user channel.
    package func radio(_ index: UInt16) -> LocalAdapter.Switch {
        for name in SystemFiles.names(in: directory(index)) where name.hasPrefix("rfkill") {
            return state(of: directory(index) + "/" + name)
        }
        return .on
    }

    /// Whether the radio is off: by the adapter's own switch or, if the adapter is absent, by a switch that removes all
    /// adapters.
    package func isBlocked(_ index: UInt16) -> Bool {
        if adapters().contains(index) { return radio(index) != .on }
        let switches = root + "/sys/class/rfkill"
        return SystemFiles.names(in: switches).contains { name in
            let path = switches + "/" + name
            guard SystemFiles.line(path + "/type") == "bluetooth" else { return false }
            // The switch of another adapter does not affect this one.
            if let owner = SystemFiles.line(path + "/name"), Self.index(owner) != nil { return false }
            return state(of: path) != .on
        }
    }

    private func state(of path: String) -> LocalAdapter.Switch {
        if SystemFiles.line(path + "/hard") == "1" { return .hardBlocked }
        return SystemFiles.line(path + "/soft") == "1" ? .softBlocked : .on
    }
}
