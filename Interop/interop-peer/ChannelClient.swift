import CoreBluetooth

/// The client of the topic channel: an SPSM without a server, an echo, and a channel that the server closes.
@MainActor
final class ChannelClient: PeerClient, @preconcurrency CBPeripheralDelegate {
    private var psm: CBL2CAPPSM = 0
    private var wasRefused = false
    private var streams: [ChannelStreams] = []

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = service(Plan.service) else { report.abandon("no service: \(text(error))") }
        report.wait(for: "the SPSM")
        peripheral.discoverCharacteristics([ChannelPlan.psmCharacteristic], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let found = service.characteristics?.first else { report.abandon("no SPSM: \(text(error))") }
        peripheral.readValue(for: found)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value, value.count == 2 else { report.abandon("no SPSM: \(text(error))") }
        psm = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
        report.note("the SPSM is \(psm)")
        report.wait(for: "the refusal")
        peripheral.openL2CAPChannel(ChannelPlan.wrongPSM)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else {
            guard !wasRefused else { report.abandon("no channel: \(text(error))") }
            wasRefused = true
            // The kernel does not tell why a peer refused.
            let tellsReason = ProcessInfo.processInfo.environment["INTEROP_ANY_REFUSAL"] == nil
            report.compare(
                "wrong number", (error as? CBError)?.code, tellsReason ? .invalidParameters : .unknown,
                "refused: \(text(error))")
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
        guard let last = streams.last, last.hasEnded else { return }
        last.onEvent = nil
        report.compare(
            "closed by the server", last.lengthAtEnd, ChannelPlan.goodbye.count, "the end came after the last octet")
        report.compare("goodbye", last.received, ChannelPlan.goodbye, "\(last.received.count) octets before it")
        disconnect()
    }
}
