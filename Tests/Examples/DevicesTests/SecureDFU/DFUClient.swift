import CoreBluetooth
import Devices

/// A client of secure DFU in the manner of Nordic's library: starts the bootloader by the buttonless characteristic, finds it by its name under
/// another address, and sends the init packet and the firmware. All of it runs on the phone's queue.
final class DFUClient {
    enum Ending: Hashable, Sendable {
        case updated
        case refused([UInt8])
    }

    let phone: TestPhone
    private(set) var ending: Ending?
    private(set) var receipts = 0
    /// The offsets from which the client has begun to send data of the firmware.
    private(set) var starts: [Int] = []
    /// The octets of the firmware after which the client cuts its link once.
    var octetsUntilLoss: Int?
    /// The number of objects that arrive damaged.
    var damagedObjects = 0

    static let bootloaderName = "Dfu00042"
    private static let receiptInterval: UInt16 = 12

    private let command: [UInt8]
    private let firmware: [UInt8]
    private var objectLimit = 4096
    private var isAwaitingReceipt = false
    private var packetsUntilReceipt = 0
    private var sent = 0
    private var object = 0..<0
    private var answer: ([UInt8]) -> Void = { _ in }

    init(command: [UInt8], firmware: [UInt8]) {
        self.command = command
        self.firmware = firmware
        phone = TestPhone(SecureDFUDevice.service)
        phone.onReady = { [unowned self] in
            if phone.characteristics[SecureDFUDevice.controlPoint] == nil { startBootloader() } else { begin() }
        }
        phone.onValue = { [unowned self] in handle($1) }
        phone.onLost = { [unowned self] in
            (object, sent, isAwaitingReceipt) = (0..<0, 0, false)
            if ending == nil { phone.scan() }
        }
    }

    private func startBootloader() {
        guard phone.characteristics[SecureDFUDevice.buttonless] != nil else {
            // The bootloader has the bonds of the application, and its address.
            return enterBootloader(by: SecureDFUDevice.buttonlessWithBonds)
        }
        let name = Array(Self.bootloaderName.utf8)
        answer = { [unowned self] response in
            guard response == [0x20, 2, 1] else { return end(response) }
            phone.name = Self.bootloaderName
            enterBootloader(by: SecureDFUDevice.buttonless)
        }
        phone.write([2, UInt8(name.count)] + name, to: SecureDFUDevice.buttonless)
    }

    private func enterBootloader(by characteristic: CBUUID) {
        answer = { [unowned self] in if $0 != [0x20, 1, 1] { end($0) } }
        phone.write([1], to: characteristic)
    }

    private func end(_ response: [UInt8]) { ending = .refused(response) }

    private func request(_ octets: [UInt8], then: @escaping ([UInt8]) -> Void) {
        answer = { [unowned self] response in
            guard response.starts(with: [0x60, octets[0], 1]) else { return end(response) }
            then(Array(response.dropFirst(3)))
        }
        phone.write(octets, to: SecureDFUDevice.controlPoint)
    }

    private func handle(_ value: [UInt8]) {
        if isAwaitingReceipt, value.starts(with: [0x60, 3, 1]) {
            receipts += 1
            (isAwaitingReceipt, packetsUntilReceipt) = (false, Int(Self.receiptInterval))
            return sent < object.upperBound ? sendPackets() : finishObject()
        }
        answer(value)
    }

    private func begin() {
        request([6, 1]) { [unowned self] response in
            let offset = Int(response.littleEndian(UInt32.self, at: 4) ?? 0)
            if offset == command.count, response.littleEndian(UInt32.self, at: 8) == CRC32(command).value {
                return executeCommand()
            }
            request([1, 1] + UInt32(command.count).littleEndianOctets) { [unowned self] _ in
                request([2, 0, 0]) { [unowned self] _ in
                    phone.stream(command, to: SecureDFUDevice.packet)
                    request([3]) { [unowned self] _ in executeCommand() }
                }
            }
        }
    }

    private func executeCommand() {
        request([4]) { [unowned self] _ in
            request([2] + Self.receiptInterval.littleEndianOctets) { [unowned self] _ in selectData() }
        }
    }

    private func selectData() {
        request([6, 2]) { [unowned self] response in
            objectLimit = Int(response.littleEndian(UInt32.self, at: 0) ?? 0)
            let offset = Int(response.littleEndian(UInt32.self, at: 4) ?? 0)
            guard objectLimit > 0, offset <= firmware.count,
                response.littleEndian(UInt32.self, at: 8) == CRC32(firmware[..<offset]).value
            else { return end(response) }
            let start = offset / objectLimit * objectLimit
            guard offset > start else { return createObject(at: start) }
            object = start..<min(start + objectLimit, firmware.count)
            (sent, packetsUntilReceipt) = (offset, Int(Self.receiptInterval))
            starts.append(offset)
            sendPackets()
        }
    }

    private func createObject(at start: Int) {
        object = start..<min(start + objectLimit, firmware.count)
        request([1, 2] + UInt32(object.count).littleEndianOctets) { [unowned self] _ in
            (sent, packetsUntilReceipt) = (start, Int(Self.receiptInterval))
            starts.append(start)
            sendPackets()
        }
    }

    /// Sends packets until a receipt is due or the object is complete.
    private func sendPackets() {
        while sent < object.upperBound, packetsUntilReceipt > 0 {
            if let limit = octetsUntilLoss, sent >= limit {
                octetsUntilLoss = nil
                return phone.disconnect()
            }
            let end = min(sent + 100, object.upperBound)
            var packet = Array(firmware[sent..<end])
            if damagedObjects > 0, sent == object.lowerBound {
                damagedObjects -= 1
                packet[0] ^= 1
            }
            phone.stream(packet, to: SecureDFUDevice.packet)
            sent = end
            packetsUntilReceipt -= 1
        }
        isAwaitingReceipt = packetsUntilReceipt == 0
        if !isAwaitingReceipt { finishObject() }
    }

    private func finishObject() {
        let end = object.upperBound
        request([3]) { [unowned self] response in
            guard response.littleEndian(UInt32.self, at: 0) == UInt32(end),
                response.littleEndian(UInt32.self, at: 4) == CRC32(firmware[..<end]).value
            else { return createObject(at: object.lowerBound) }
            request([4]) { [unowned self] _ in
                guard end == firmware.count else { return createObject(at: end) }
                ending = .updated
            }
        }
    }
}
