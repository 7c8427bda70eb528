import BLESimulator
import BLEWire

extension RoomRun {
    /// One end of a link.
    struct LinkEnd {
        var device: SceneDevice
        var link: VirtualLink
    }

    /// The ends of all links, in the order of the devices.
    func linkEnds() -> [LinkEnd] {
        devices.flatMap { device in device.links.map { LinkEnd(device: device, link: $0) } }
    }

    /// The links that both ends have, and those of which one end is still waiting for the end of the supervision timeout.
    var links: [RoomLink] {
        var order: [UInt32] = []
        var ends: [UInt32: [LinkEnd]] = [:]
        for end in linkEnds() {
            if ends[end.link.accessAddress] == nil { order.append(end.link.accessAddress) }
            ends[end.link.accessAddress, default: []].append(end)
        }
        return order.compactMap { address in ends[address].flatMap { link(address, $0) } }
    }

    private func link(_ address: UInt32, _ ends: [LinkEnd]) -> RoomLink? {
        let central = ends.first { $0.link.role == .central }
        let peripheral = ends.first { $0.link.role == .peripheral }
        guard let end = central ?? peripheral else { return nil }
        let missing = other(than: end.device, address)
        guard let centralName = central?.device.identifier ?? missing,
            let peripheralName = peripheral?.device.identifier ?? missing
        else { return nil }
        let count = counter.link(address)
        let places = [centralName, peripheralName].map { name in
            devices.first { $0.identifier == name }?.position ?? end.device.position
        }
        let radio = radioEnvironment
        let margin = ends.map { radio.margin(of: $0.link.sendingPHY, from: places[0], at: places[1]) }.min() ?? 0
        return RoomLink(
            id: RoomLink.identifier(address), central: centralName, peripheral: peripheralName,
            rssi: RoomLink.Sides(central: central?.link.rssi, peripheral: peripheral?.link.rssi),
            interval: end.link.interval.milliseconds, latency: end.link.latency,
            timeout: end.link.supervisionTimeout.milliseconds,
            phy: RoomLink.Sides(
                central: (central?.link.sendingPHY ?? end.link.receivingPHY).code.name,
                peripheral: (peripheral?.link.sendingPHY ?? end.link.receivingPHY).code.name),
            isEncrypted: ends.allSatisfy(\.link.isEncrypted),
            mtu: ends.map(\.link.maximumTransmissionUnit).min() ?? Int(ATT.defaultMTU),
            walls: walls.filter { $0.wall.stands(between: places[0], and: places[1]) }.map(\.id),
            margin: (margin * 10).rounded() / 10,
            packets: count.packets, lost: count.lost)
    }

    /// The device at the other end of a link that it has ended already: it sent packets of the link.
    private func other(than device: SceneDevice, _ address: UInt32) -> String? {
        let link = counter.link(address)
        return [link.first, link.second].first { $0 > 0 && $0 != device.number }.map(RoomDevice.identifier)
    }

    /// The devices in the order in which they were added.
    var deviceStates: [RoomDevice] {
        devices.map { device in
            let activity = device.activity
            return RoomDevice(
                id: device.identifier, name: device.name, label: device.label, kind: device.symbol,
                program: device.setup.body.program,
                x: device.position.x, y: device.position.y, isOn: device.isOn, loss: device.loss,
                state: WorldDeviceState(activity),
                address: activity?.address?.description, isExplorer: device.kind?.isExplorer ?? false,
                hasHost: device.hasHost, platform: device.platform, takesPlatform: device.takesPlatform)
        }
    }

    /// The state of a program for the page; nil without power and for a program that shows none.
    func snapshot(of identifier: String) throws -> (any Encodable & Sendable)? {
        let program = try device(identifier).program
        return call { program?.snapshot }
    }
}

extension Duration {
    fileprivate var milliseconds: Double { Double(wholeNanoseconds) / 1_000_000 }
}
