import BLEController
import BLEHostAdapter
import BLESimulator
import BLEWire

extension RoomRun {
    /// One end of a link.
    struct LinkEnd {
        var device: RunDevice
        var status: LinkStatus
        /// Octets.
        var mtu: Int
    }

    /// The ends of all links, in the order of the devices.
    func linkEnds() -> [LinkEnd] {
        world.inspect { network in
            devices.flatMap { device -> [LinkEnd] in
                guard let slot = device.slot else { return [] }
                return network.links(slot).map { status in
                    let mtu = device.host?.adapter.mtu(ofHandle: status.handle)
                    return LinkEnd(device: device, status: status, mtu: mtu ?? Int(ATT.defaultMTU))
                }
            }
        }
    }

    /// The links that both ends have, and those of which one end is still waiting for the end of the supervision timeout.
    var links: [RoomLink] {
        var order: [UInt32] = []
        var ends: [UInt32: [LinkEnd]] = [:]
        for end in linkEnds() {
            if ends[end.status.accessAddress] == nil { order.append(end.status.accessAddress) }
            ends[end.status.accessAddress, default: []].append(end)
        }
        return order.compactMap { address in ends[address].flatMap { link(address, $0) } }
    }

    private func link(_ address: UInt32, _ ends: [LinkEnd]) -> RoomLink? {
        let central = ends.first { $0.status.role == .central }
        let peripheral = ends.first { $0.status.role == .peripheral }
        guard let end = central ?? peripheral else { return nil }
        let missing = other(than: end.device, address)
        guard let centralName = central?.device.identifier ?? missing,
            let peripheralName = peripheral?.device.identifier ?? missing
        else { return nil }
        let count = counter.link(address)
        return RoomLink(
            id: RoomLink.identifier(address), central: centralName, peripheral: peripheralName,
            rssi: RoomLink.Sides(
                central: central?.status.rssi.map(Int.init), peripheral: peripheral?.status.rssi.map(Int.init)),
            interval: Double(end.status.interval) * 1.25, latency: Int(end.status.latency),
            timeout: Double(end.status.timeout) * 10,
            phy: RoomLink.Sides(
                central: RoomLink.name(central?.status.sendingPHY ?? end.status.receivingPHY),
                peripheral: RoomLink.name(peripheral?.status.sendingPHY ?? end.status.receivingPHY)),
            isEncrypted: ends.allSatisfy(\.status.isEncrypted), mtu: ends.map(\.mtu).min() ?? Int(ATT.defaultMTU),
            packets: count.packets, lost: count.lost)
    }

    /// The device at the other end of a link that it has ended already: it sent packets of the link.
    private func other(than device: RunDevice, _ address: UInt32) -> String? {
        let link = counter.link(address)
        return [link.first, link.second].first { $0 > 0 && $0 != device.number }.map(RoomDevice.identifier)
    }

    /// The devices in the order in which they were added.
    var deviceStates: [RoomDevice] {
        let statuses = world.inspect { network in devices.map { $0.slot.flatMap { network.status($0) } } }
        return zip(devices, statuses).map { device, status in
            RoomDevice(
                id: device.identifier, name: device.name, kind: device.program.kind, program: device.program.id,
                x: device.x, y: device.y, isOn: device.isOn, loss: device.loss, state: Self.state(status),
                address: status?.address?.description, isExplorer: device.program.isExplorer)
        }
    }

    private static func state(_ status: ControllerStatus?) -> RoomDevice.State {
        guard let status else { return .off }
        if status.linkCount > 0 { return .connected }
        if status.isConnecting { return .connecting }
        if status.isScanning { return .scanning }
        return status.isAdvertising ? .advertising : .idle
    }

    /// The state of a program for the page; nil without power and for a program that shows none.
    func snapshot(of identifier: String) throws -> (any Encodable & Sendable)? {
        let program = try device(identifier).runningProgram
        return call { program?.snapshot }
    }
}

extension RoomLink {
    /// The name of a PHY.
    package static func name(_ phy: LL.PHY) -> String {
        switch phy {
        case .oneM: "1M"
        case .twoM: "2M"
        case .codedS2, .codedS8: "Coded"
        }
    }
}
