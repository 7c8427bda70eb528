import CoreBluetooth

/// The client of a run with L2CAP channels: a number that nobody has, an echo, and a channel that the server closes.
@MainActor
final class ChannelClient: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private let report: Report
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var psm: CBL2CAPPSM = 0
    private var wasRefused = false
    private var streams: [ChannelStreams] = []

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        report.wait(for: "the advertisement")
        central.scanForPeripherals(withServices: [Plan.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        report.wait(for: "the number of the service")
        peripheral.discoverServices([Plan.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if let error { report.abandon("disconnected: \(error.localizedDescription)") }
        report.end()
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { report.abandon("no service") }
        peripheral.discoverCharacteristics([ChannelPlan.psmCharacteristic], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let found = service.characteristics?.first else { report.abandon("no number of the service") }
        peripheral.readValue(for: found)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value, value.count == 2 else { report.abandon("no number of the service") }
        psm = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
        report.note("the service is number \(psm)")
        report.wait(for: "the refusal")
        peripheral.openL2CAPChannel(ChannelPlan.wrongPSM)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else {
            guard !wasRefused else { report.abandon("no channel: \(error?.localizedDescription ?? "?")") }
            wasRefused = true
            report.compare(
                "wrong number", (error as? CBError)?.code, .invalidParameters,
                "refused: \(error?.localizedDescription ?? "?")")
            report.wait(for: "the echo")
            return peripheral.openL2CAPChannel(psm)
        }
        let new = ChannelStreams(channel)
        streams.append(new)
        if streams.count == 1 {
            new.onEvent = { [weak self] in self?.echoed() }
            new.send(ChannelPlan.data)
        } else {
            new.onEvent = { [weak self] in self?.left() }
        }
    }

    private func echoed() {
        guard streams.count == 1, streams[0].received.count >= ChannelPlan.data.count else { return }
        streams[0].onEvent = nil
        report.compare("echo", streams[0].received, ChannelPlan.data, "\(streams[0].received.count) octets came back")
        streams[0].close()
        report.wait(for: "the server to close")
        peripheral?.openL2CAPChannel(psm)
    }

    private func left() {
        guard let last = streams.last, last.hasEnded, let peripheral else { return }
        last.onEvent = nil
        report.compare(
            "closed by the server", last.lengthAtEnd, ChannelPlan.goodbye.count, "the end came after the last octet")
        report.compare("goodbye", last.received, ChannelPlan.goodbye, "\(last.received.count) octets before it")
        report.wait(for: "the disconnection")
        manager.cancelPeripheralConnection(peripheral)
    }
}
