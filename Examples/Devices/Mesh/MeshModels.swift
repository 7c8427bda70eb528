/// The models of a lamp: Configuration Server and Generic OnOff Server. Messages go in, responses come out.
///
/// 灯的两个模型：配置服务器和通用开关服务器。
package struct MeshModels: Sendable {
    /// A change that a message causes in addition to its response.
    package enum Effect: Hashable, Sendable {
        case switched(Bool)
        case addedKey(index: UInt16, key: [UInt8])
        /// The node forgets its network.
        case reset
    }

    private enum Status: UInt8 {
        case success = 0
        case invalidAddress = 1
        case invalidModel = 2
        case invalidApplicationKey = 3
        case invalidNetworkKey = 4
        case insufficientResources = 5
        case alreadyStored = 6
    }

    /// The application keys at most.
    package static let keyLimit = 4
    private static let onOffServer: UInt16 = 0x1000

    /// Whether the light is on.
    package var isOn = false
    /// The application keys that the switch accepts.
    package private(set) var boundKeys: Set<UInt16> = []
    private let address: UInt16
    private let networkKeyIndex: UInt16
    private var keys: [UInt16: [UInt8]] = [:]
    private var lastTransaction: (source: UInt16, number: UInt8)?

    package init(address: UInt16, networkKeyIndex: UInt16) {
        self.address = address
        self.networkKeyIndex = networkKeyIndex
    }

    /// Handles a message. The response goes to its source, with its key.
    package mutating func handle(_ message: MeshMessage) -> (response: [UInt8]?, effect: Effect?) {
        guard let (opcode, parameters) = Self.split(message.payload) else { return (nil, nil) }
        switch message.key {
        case .device: return configure(opcode, parameters)
        case .application(let index):
            return boundKeys.contains(index) ? operate(opcode, parameters, from: message.source) : (nil, nil)
        }
    }

    /// An opcode has one octet, or two if the first is from 80 to BF. Those of vendors have three.
    private static func split(_ payload: [UInt8]) -> (UInt16, [UInt8])? {
        guard let first = payload.first, first != 0x7F, first < 0xC0 else { return nil }
        guard first >= 0x80 else { return (UInt16(first), Array(payload.dropFirst())) }
        return payload.bigEndian(UInt16.self, at: 0).map { ($0, Array(payload.dropFirst(2))) }
    }

    // MARK: Configuration Server 配置

    private mutating func configure(_ opcode: UInt16, _ parameters: [UInt8]) -> ([UInt8]?, Effect?) {
        switch opcode {
        case 0x8008 where parameters.count == 1: return ([0x02, 0] + Self.composition, nil)
        case 0x800C where parameters.isEmpty: return ([0x80, 0x0E, 5], nil)
        case 0x00 where parameters.count == 19: return addKey(parameters)
        case 0x803D where parameters.count == 6: return (bind(parameters), nil)
        case 0x8049 where parameters.isEmpty: return ([0x80, 0x4A], .reset)
        default: return (nil, nil)
        }
    }

    /// Company FFFF, product 1, version 1, the replay list, the feature Proxy, and one element with two models. 组成数据。
    private static var composition: [UInt8] {
        let header: [UInt16] = [0xFFFF, 1, 1, UInt16(MeshStack.sourceLimit), 0x0002, 0]
        let models: [UInt16] = [0x0000, onOffServer]
        return header.flatMap(\.littleEndianOctets) + [UInt8(models.count), 0] + models.flatMap(\.littleEndianOctets)
    }

    private mutating func addKey(_ parameters: [UInt8]) -> ([UInt8]?, Effect?) {
        // Two indexes of 12 bits in three octets.
        let network = UInt16(parameters[0]) | UInt16(parameters[1] & 0x0F) << 8
        let index = UInt16(parameters[1] >> 4) | UInt16(parameters[2]) << 4
        let key = Array(parameters[3...])
        var status = Status.success
        if network != networkKeyIndex {
            status = .invalidNetworkKey
        } else if let known = keys[index] {
            status = known == key ? .success : .alreadyStored
        } else if keys.count == Self.keyLimit {
            status = .insufficientResources
        }
        if status == .success { keys[index] = key }
        return (
            [0x80, 0x03, status.rawValue] + parameters[..<3],
            status == .success ? .addedKey(index: index, key: key) : nil
        )
    }

    private mutating func bind(_ parameters: [UInt8]) -> [UInt8] {
        let values = [0, 2, 4].compactMap { parameters.littleEndian(UInt16.self, at: $0) }
        var status = Status.success
        if values[0] != address {
            status = .invalidAddress
        } else if values[2] != Self.onOffServer {
            status = .invalidModel
        } else if keys[values[1]] == nil {
            status = .invalidApplicationKey
        } else {
            boundKeys.insert(values[1])
        }
        return [0x80, 0x3E, status.rawValue] + parameters
    }

    // MARK: Generic OnOff Server 开关

    private mutating func operate(
        _ opcode: UInt16, _ parameters: [UInt8], from source: UInt16
    ) -> ([UInt8]?, Effect?) {
        switch opcode {
        case 0x8201 where parameters.isEmpty: return (state, nil)
        case 0x8202, 0x8203:
            guard parameters.count == 2 || parameters.count == 4, parameters[0] <= 1 else { return (nil, nil) }
            let isRepeated = lastTransaction.map { $0 == (source, parameters[1]) } ?? false
            lastTransaction = (source, parameters[1])
            let isChanged = !isRepeated && isOn != (parameters[0] == 1)
            if isChanged { isOn.toggle() }
            return (opcode == 0x8202 ? state : nil, isChanged ? .switched(isOn) : nil)
        default: return (nil, nil)
        }
    }

    private var state: [UInt8] { [0x82, 0x04, isOn ? 1 : 0] }
}
