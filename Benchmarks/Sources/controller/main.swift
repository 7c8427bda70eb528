// How many ACL packets a second go from host to host through two virtual controllers and their radio, without pacing.
import BLEController
import BLECrypto
import BLEWire
import Figures

/// Two raw hosts in this process, and nothing else: one sends under its controller's flow control.
struct InProcess {
    let length: Int
    /// Whether each packet is encrypted by one controller and decrypted by the other.
    var isEncrypted = false

    /// Packets a second of processor time.
    func measure(packets: Int) -> Double {
        let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
        var configuration = ControllerConfiguration()
        configuration.aclBufferCount = 16
        let (sender, receiver) = (radio.addController(configuration), radio.addController(configuration))
        guard let handle = connect(radio, sender, receiver) else { return .nan }
        if isEncrypted, !encrypt(radio, sender, receiver, handle) { return .nan }
        var packet: [UInt8] = []
        let data = [UInt8](repeating: 7, count: length)
        try? packet.append(
            acl: HCI.ACLPacket(connectionHandle: handle, boundary: .firstNonFlushable, data: data.span))
        var credits = 16
        var arrived = 0
        let start = processorSeconds()
        while arrived < packets {
            while credits > 0 {
                credits -= 1
                radio.receive(packet.span, for: sender)
            }
            guard let next = radio.nextDeadline else { return .nan }
            radio.advance(to: next)
            while let identifier = radio.nextControllerWithOutput {
                radio.drainOutput(of: identifier) { octets in
                    if octets[0] == 2 { arrived += 1 }
                    if octets[0] == 4, octets[1] == 0x13 { credits += Int(octets[6]) }
                }
            }
        }
        return Double(packets) / (processorSeconds() - start)
    }

    private func send(_ command: some HCICommand, _ radio: VirtualRadio, _ identifier: ControllerIdentifier) {
        var octets: [UInt8] = []
        try? octets.append(command: command)
        radio.receive(octets.span, for: identifier)
    }

    private func connect(_ radio: VirtualRadio, _ central: ControllerIdentifier, _ peripheral: ControllerIdentifier)
        -> UInt16?
    {
        for (number, identifier) in [central, peripheral].enumerated() {
            send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)), radio, identifier)
            send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 9))), radio, identifier)
            send(HCI.LESetRandomAddress(address: address(number)), radio, identifier)
        }
        send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: 32, intervalMaximum: 32, advertisingType: .connectableUndirected,
                ownAddressType: .random, peerAddress: DeviceAddress(kind: .public, value: 0), filterPolicy: .everyone),
            radio, peripheral)
        send(HCI.LESetAdvertisingEnable(enable: true), radio, peripheral)
        send(
            HCI.LECreateConnection(
                scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress, peerAddress: address(1),
                ownAddressType: .random, intervalMinimum: 40, intervalMaximum: 40, maximumLatency: 0,
                supervisionTimeout: 100),
            radio, central)
        var handles = [UInt16](repeating: 0, count: 2)
        let end = radio.now + .seconds(10)
        while handles.contains(0), let next = radio.nextDeadline, next < end {
            radio.advance(to: next)
            while let identifier = radio.nextControllerWithOutput {
                radio.drainOutput(of: identifier) { octets in
                    guard octets.count > 6, octets[0] == 4, octets[1] == 0x3E, octets[3] == 1, octets[4] == 0 else {
                        return
                    }
                    handles[identifier == central ? 0 : 1] = UInt16(octets[5]) | UInt16(octets[6]) << 8
                }
            }
        }
        guard !handles.contains(0) else { return nil }
        for (identifier, handle) in [(central, handles[0]), (peripheral, handles[1])] {
            send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120), radio, identifier)
            send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M, options: 0), radio, identifier)
        }
        let settled = radio.now + .seconds(2)
        while let next = radio.nextDeadline, next < settled { radio.advance(to: next) }
        while let identifier = radio.nextControllerWithOutput { radio.drainOutput(of: identifier) { _ in } }
        return handles[0]
    }

    /// Encrypts the link. Both controllers use the same handle. False if that takes more than 10 s.
    private func encrypt(
        _ radio: VirtualRadio, _ central: ControllerIdentifier, _ peripheral: ControllerIdentifier, _ handle: UInt16
    ) -> Bool {
        let key = InlineArray<16, UInt8>(repeating: 7)
        send(
            HCI.LEEnableEncryption(
                connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: key), radio, central)
        var (isAsked, encryptedEnds) = (false, 0)
        let end = radio.now + .seconds(10)
        while encryptedEnds < 2, let next = radio.nextDeadline, next < end {
            radio.advance(to: next)
            while let identifier = radio.nextControllerWithOutput {
                radio.drainOutput(of: identifier) { octets in
                    if octets[1] == HCI.EventCode.encryptionChange.rawValue, octets[3] == 0 { encryptedEnds += 1 }
                    if octets[1] == HCI.EventCode.leMeta.rawValue,
                        octets[3] == HCI.LESubeventCode.longTermKeyRequest.rawValue
                    {
                        isAsked = true
                    }
                }
            }
            guard isAsked else { continue }
            isAsked = false
            send(HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key), radio, peripheral)
        }
        return encryptedEnds == 2
    }

    private func address(_ number: Int) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | UInt64(number))
    }
}

// packet-of-LENGTH COUNT and encrypted-packet-of-LENGTH COUNT: so many packets and nothing printed, for counting instructions.
let arguments = CommandLine.arguments
if arguments.count == 3, let range = arguments[1].firstRange(of: "packet-of-"),
    let length = Int(arguments[1][range.upperBound...]), let rounds = Int(arguments[2])
{
    _ = InProcess(length: length, isEncrypted: arguments[1].hasPrefix("encrypted")).measure(packets: rounds)
} else {
    for length in [27, 251] {
        let rates = (0..<5).map { _ in InProcess(length: length).measure(packets: isShort ? 20_000 : 200_000) }
        Figure(
            "controller.in-process.\(length)", median(rates), "packets/s",
            title: "\(length) octets, host to host in one process, a second of processor time"
        ).report()
    }
    for length in [27, 251] {
        let rates = (0..<5).map { _ in
            InProcess(length: length, isEncrypted: true).measure(packets: isShort ? 20_000 : 200_000)
        }
        Figure(
            "controller.encrypted.\(length)", median(rates), "packets/s",
            title: "\(length) octets, encrypted, host to host in one process, a second of processor time"
        ).report()
    }
    let overSockets = OverSockets(driver: ".build/drivers/ctlbench")
    let rates = (0..<(isShort ? 1 : 5)).map { _ in overSockets.measure(packets: isShort ? 20_000 : 100_000) }
    Figure(
        "controller.sockets.251", median(rates), "packets/s",
        title: "251 octets, from a process over Unix sockets and back to it"
    ).report()
}
