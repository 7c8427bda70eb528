import Phrases

extension RoomTimeline {
    /// The latest HCI packets of a device.
    ///
    /// - Throws: `PhrasedError` for a device that is not in the room or has no host.
    package func hciRecording(of identifier: String) throws -> HCIRecording {
        let device = try run.device(identifier)
        guard device.hasHost else {
            throw PhrasedError(
                "no-host",
                Phrase(
                    "\(device.shownName) advertises without a host, so it has no HCI packets.",
                    "\(device.shownName)没有主机，只发送广播，所以没有 HCI 数据包。"),
                next: Phrase("Save the packets on the air as pcapng.", "请把空中的数据包保存为 pcapng。"))
        }
        let slots = run.numbers.filter { $0.value == device.number }.keys.sorted()
        return HCIRecording(name: device.name, btsnoop: run.hci.rings.withLock { $0.btsnoop(ofSlots: slots) })
    }

    /// The HCI packets that the room no longer keeps, by the numbers of the devices. Devices that lost none are not in it.
    var droppedHCI: [Int: Int] {
        let dropped = run.hci.rings.withLock { $0.dropped }
        guard !dropped.isEmpty else { return [:] }
        let present = Set(run.devices.map(\.number))
        return dropped.reduce(into: [:]) { counts, entry in
            guard let number = run.numbers[entry.key], present.contains(number) else { return }
            counts[number, default: 0] += entry.value
        }
    }
}
