import CoreBluetooth

/// The server of the topic channel: echoes on the first channel, sends a message on the second and closes it.
@MainActor final class ChannelServer: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private var manager: CBPeripheralManager!
    private var streams: [ChannelStreams] = []

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        if let error { report.abandon("no SPSM: \(error.localizedDescription)") }
        let number = Data([UInt8(PSM & 0xFF), UInt8(PSM >> 8)])
        let service = CBMutableService(type: Plan.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: ChannelPlan.psmCharacteristic, properties: .read, value: number, permissions: .readable)
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Plan.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { report.abandon("not advertising: \(error.localizedDescription)") }
        report.note("READY")
        report.wait(for: "a channel")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { report.abandon("didOpen without a channel") }
        let new = ChannelStreams(channel)
        streams.append(new)
        if streams.count == 1 {
            report.wait(for: "the client to close the first channel")
            new.isEcho = true
            new.onEvent = { [weak self] in self?.echoed() }
        } else {
            new.onEvent = { [weak self] in self?.leave() }
            new.send(ChannelPlan.goodbye)
        }
    }

    private func echoed() {
        guard streams[0].hasEnded else { return }
        streams[0].onEvent = nil
        report.compare(
            "channel", streams[0].received, ChannelPlan.data,
            "\(streams[0].received.count) octets received and sent back")
        report.compare(
            "closed by the client", streams[0].lengthAtEnd, ChannelPlan.data.count, "the end came after the last octet")
    }

    private func leave() {
        guard streams.count == 2, streams[1].isSent else { return }
        streams[1].onEvent = nil
        streams[1].close()
        DispatchQueue.main.asyncAfter(deadline: .now() + 3) { [report] in report.end() }
    }
}
