import Crypto

/// The bootloader of Nordic's secure DFU: requests to the control point and packets of an object go in, responses come out. It does no I/O.
///
/// Nordic 安全 DFU 的引导程序：先收初始化包（命令对象），再分块收固件（数据对象），每块用 CRC-32 校验。
package struct DFUTarget: Sendable {
    /// Which firmware the bootloader accepts.
    package struct Rules: Sendable {
        package var hardwareVersion: UInt64 = 52
        /// The owner of the key signs every init packet; nil accepts packets without a signature.
        package var key: P256.Signing.PublicKey?

        package init() {}
    }

    /// The content of the flash memory. It remains across links and resets, so that an interrupted update continues.
    package struct Progress: Codable, Hashable, Sendable {
        @StoredOctets package fileprivate(set) var command: [UInt8] = []
        fileprivate var commandSize = 0
        /// Whether the init packet was accepted.
        package fileprivate(set) var isCommandExecuted = false
        /// The firmware with the object that arrives at present.
        @StoredOctets package fileprivate(set) var firmware: [UInt8] = []
        /// The octets of the objects before this one.
        package fileprivate(set) var executed = 0
        fileprivate var objectSize = 0

        package init() {}

        /// Whether the content can be what a bootloader wrote. A file may have anything.
        fileprivate var isConsistent: Bool {
            (0...DFUTarget.commandLimit).contains(commandSize) && command.count <= commandSize
                && (0...DFUTarget.objectLimit).contains(objectSize) && firmware.count <= DFUTarget.firmwareLimit
                && (0...firmware.count).contains(executed) && firmware.count - executed <= objectSize
        }
    }

    /// A firmware that was received whole and has the right hash.
    package struct Firmware: Codable, Hashable, Sendable {
        package let version: UInt64
        @StoredOctets package private(set) var octets: [UInt8]

        package init(version: UInt64, octets: [UInt8]) {
            self.version = version
            self.octets = octets
        }
    }

    private enum Object: UInt8 {
        case command = 1
        case data = 2
    }

    private enum Operation: UInt8 {
        case create = 1
        case setReceipts = 2
        case checksum = 3
        case execute = 4
        case select = 6
        case ping = 9
        case abort = 12
    }

    /// The reason of a refusal. The second octet is that of an extended error.
    private struct Refusal: Error {
        let code: [UInt8]

        static let notSupported = Refusal(code: [2])
        static let invalidParameter = Refusal(code: [3])
        static let insufficientResources = Refusal(code: [4])
        static let invalidObject = Refusal(code: [5])
        static let notPermitted = Refusal(code: [8])
        static let failed = Refusal(code: [10])
        static let wrongFormat = Refusal(code: [11, 2])
        static let invalidCommand = Refusal(code: [11, 4])
        static let oldFirmware = Refusal(code: [11, 5])
        static let otherHardware = Refusal(code: [11, 6])
        static let notSigned = Refusal(code: [11, 8])
        static let wrongHashType = Refusal(code: [11, 9])
        static let wrongSignatureType = Refusal(code: [11, 11])
        static let verificationFailed = Refusal(code: [11, 12])
    }

    /// The octets of an init packet at most.
    package static let commandLimit = 512
    /// The octets of a data object at most: a page of the flash memory.
    package static let objectLimit = 4096
    /// The octets of a firmware at most.
    package static let firmwareLimit = 512 * 1024
    private static let response: UInt8 = 0x60

    package private(set) var progress: Progress
    /// The firmware of a complete update. The device starts it after a reset.
    package private(set) var finished: Firmware?
    /// Whether a client has ended the update, so that the device starts its present firmware.
    package private(set) var isAborted = false

    private let rules: Rules
    private let installedVersion: UInt64
    private var object = Object.command
    /// The CRCs of the init packet, of the firmware, and of its objects before the present one. 边收边算，不必每次从头计算。
    private var crcs = (command: CRC32(), firmware: CRC32(), executed: CRC32())
    private var receiptInterval = 0
    private var packetsUntilReceipt = 0

    /// - Parameters:
    ///   - rules: Which firmware is accepted.
    ///   - installedVersion: The version of the present firmware. Earlier ones are refused.
    ///   - progress: The content of the flash memory. Content that no bootloader writes counts as none.
    package init(_ rules: Rules, installedVersion: UInt64, progress: Progress = Progress()) {
        self.rules = rules
        self.installedVersion = installedVersion
        self.progress = progress.isConsistent ? progress : Progress()
        crcs.command.update(self.progress.command)
        crcs.executed.update(self.progress.firmware[..<self.progress.executed])
        crcs.firmware = crcs.executed
        crcs.firmware.update(self.progress.firmware[self.progress.executed...])
    }

    /// Handles the end of the link. The progress stays.
    package mutating func disconnected() { (receiptInterval, packetsUntilReceipt, object) = (0, 0, .command) }

    /// Carries out a request to the control point. Returns the notification, if there is one.
    package mutating func control(_ request: [UInt8]) -> [UInt8]? {
        guard let code = request.first else { return nil }
        do throws(Refusal) {
            guard let operation = Operation(rawValue: code) else { throw .notSupported }
            if operation == .abort {
                isAborted = true
                return nil
            }
            return [Self.response, code, 1] + (try carryOut(operation, request.dropFirst()))
        } catch {
            return [Self.response, code] + error.code
        }
    }

    /// Takes a packet of the present object. Returns a receipt if it is due: the checksum, or the reason why this packet does not fit. Without one, only
    /// the checksum shows that a packet was dropped.
    package mutating func packet(_ octets: [UInt8]) -> [UInt8]? {
        var refusal: Refusal?
        do throws(Refusal) {
            try write(octets)
        } catch {
            refusal = error
        }
        guard receiptInterval > 0 else { return nil }
        packetsUntilReceipt -= 1
        guard packetsUntilReceipt == 0 else { return nil }
        packetsUntilReceipt = receiptInterval
        return [Self.response, Operation.checksum.rawValue] + (refusal?.code ?? [1] + checksum)
    }

    private mutating func write(_ octets: [UInt8]) throws(Refusal) {
        switch object {
        case .command:
            guard progress.command.count + octets.count <= progress.commandSize else { throw .invalidParameter }
            progress.command += octets
            crcs.command.update(octets)
        case .data:
            guard progress.isCommandExecuted else { throw .notPermitted }
            guard progress.firmware.count - progress.executed + octets.count <= progress.objectSize else {
                throw .invalidParameter
            }
            progress.firmware += octets
            crcs.firmware.update(octets)
        }
    }

    private mutating func carryOut(
        _ operation: Operation, _ arguments: ArraySlice<UInt8>
    ) throws(Refusal) -> [UInt8] {
        switch operation {
        case .select:
            object = try objectType(arguments)
            let limit = object == .command ? Self.commandLimit : Self.objectLimit
            return UInt32(limit).littleEndianOctets + checksum
        case .create:
            object = try objectType(arguments)
            guard arguments.count == 5, let size = arguments.littleEndian(UInt32.self, at: 1) else {
                throw .wrongFormat
            }
            try create(size: Int(size))
            return []
        case .setReceipts:
            guard arguments.count == 2, let interval = arguments.littleEndian(UInt16.self, at: 0) else {
                throw .wrongFormat
            }
            (receiptInterval, packetsUntilReceipt) = (Int(interval), Int(interval))
            return []
        case .checksum: return checksum
        case .execute:
            switch object {
            case .command: try executeCommand()
            case .data: try executeData()
            }
            return []
        case .ping:
            guard arguments.count == 1 else { throw .wrongFormat }
            return Array(arguments)
        case .abort: throw .notSupported
        }
    }

    private func objectType(_ arguments: ArraySlice<UInt8>) throws(Refusal) -> Object {
        guard let first = arguments.first else { throw .wrongFormat }
        guard let object = Object(rawValue: first) else { throw .invalidObject }
        return object
    }

    /// The offset and the CRC-32 of the octets so far: those of the init packet, or of the whole firmware. 偏移量和 CRC。
    private var checksum: [UInt8] {
        let (count, crc) =
            object == .command ? (progress.command.count, crcs.command) : (progress.firmware.count, crcs.firmware)
        return UInt32(count).littleEndianOctets + crc.value.littleEndianOctets
    }

    private mutating func forget() {
        progress = Progress()
        crcs = (CRC32(), CRC32(), CRC32())
    }

    private mutating func create(size: Int) throws(Refusal) {
        packetsUntilReceipt = receiptInterval
        switch object {
        case .command:
            guard size > 0 else { throw .invalidParameter }
            guard size <= Self.commandLimit else { throw .insufficientResources }
            // Another update begins. 开始新的升级。
            forget()
            progress.commandSize = size
        case .data:
            guard progress.isCommandExecuted, let packet = InitPacket(progress.command) else { throw .notPermitted }
            let (end, length) = (progress.executed + size, Int(clamping: packet.applicationSize))
            // Only the last object may be a part of a page. 只有最后一块可以不满一页。
            guard size > 0, size.isMultiple(of: Self.objectLimit) || end == length else { throw .invalidParameter }
            guard size <= Self.objectLimit else { throw .insufficientResources }
            guard end <= length else { throw .notPermitted }
            // A client creates an object again if its first octets were damaged. 重新创建：丢弃这一块已收到的数据。
            progress.firmware.removeLast(progress.firmware.count - progress.executed)
            crcs.firmware = crcs.executed
            progress.objectSize = size
        }
    }

    private mutating func executeCommand() throws(Refusal) {
        guard progress.commandSize > 0, progress.command.count == progress.commandSize else { throw .notPermitted }
        guard !progress.isCommandExecuted else { return }
        guard let packet = InitPacket(progress.command) else { throw .invalidObject }
        do throws(Refusal) {
            try check(packet)
        } catch {
            // The client has to send another one. 客户端必须重新发送。
            forget()
            throw error
        }
        progress.isCommandExecuted = true
    }

    private func check(_ packet: InitPacket) throws(Refusal) {
        if let key = rules.key {
            guard let signature = packet.signature else { throw .notSigned }
            guard packet.signatureType == 0 else { throw .wrongSignatureType }
            guard signature.count == 64 else { throw .failed }
            guard packet.isSigned(by: key) else { throw .invalidObject }
        }
        guard packet.kind == 0 else { throw .invalidCommand }
        guard packet.hashType == InitPacket.sha256 else { throw .wrongHashType }
        guard let hardware = packet.hardwareVersion, let version = packet.firmwareVersion else { throw .invalidCommand }
        guard hardware == rules.hardwareVersion else { throw .otherHardware }
        guard version >= installedVersion else { throw .oldFirmware }
        guard packet.applicationSize > 0 else { throw .invalidCommand }
        guard packet.applicationSize <= UInt64(Self.firmwareLimit) else { throw .insufficientResources }
    }

    private mutating func executeData() throws(Refusal) {
        guard progress.isCommandExecuted, let packet = InitPacket(progress.command),
            progress.firmware.count - progress.executed == progress.objectSize
        else { throw .notPermitted }
        progress.objectSize = 0
        progress.executed = progress.firmware.count
        crcs.executed = crcs.firmware
        guard UInt64(progress.executed) == packet.applicationSize else { return }
        let firmware = progress.firmware
        forget()
        guard Array(SHA256.hash(data: firmware)) == packet.hash else { throw .verificationFailed }
        finished = Firmware(version: packet.firmwareVersion ?? 0, octets: firmware)
    }
}
