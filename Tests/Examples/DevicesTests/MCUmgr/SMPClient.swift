import CoreBluetooth
import Crypto
import Devices

/// A client of MCUmgr in the manner of nRF Connect Device Manager: parameters, list, an upload with several requests under way, test, reset,
/// confirmation. All of it runs on the phone's queue.
final class SMPClient {
    /// How the update ended.
    enum Ending: Hashable, Sendable {
        case updated
        /// The version that runs after the reset is not the uploaded one.
        case notStarted
        case refused(CBOR)
    }

    let phone: TestPhone
    private(set) var ending: Ending?
    /// The offsets of the device's answers to chunks.
    private(set) var offsets: [UInt64] = []
    private(set) var loops = 0
    /// The number of chunks after which the client cuts its link once.
    var chunksUntilLoss: Int?
    /// The octets of data in a chunk: more than one write has.
    var chunkLength = 700

    private let image: [UInt8]
    private var reassembly = SMPReassembly(limit: 0xFFFF)
    private var sequence: UInt8 = 0
    private var underWay: [UInt8: (SMPPacket) -> Void] = [:]
    private var window = 1
    private var next = 0
    private var chunks = 0
    private var hasReset = false

    init(_ image: [UInt8]) {
        self.image = image
        phone = TestPhone(MCUmgrDevice.service)
        phone.reconnects = true
        phone.onReady = { [unowned self] in
            loops += 1
            hasReset ? confirm() : begin()
        }
        phone.onLost = { [unowned self] in
            reassembly = SMPReassembly(limit: 0xFFFF)
            underWay = [:]
        }
        phone.onValue = { [unowned self] _, value in
            for case .packet(let packet) in reassembly.receive(value) {
                underWay.removeValue(forKey: packet.sequence)?(packet)
            }
        }
    }

    private func send(
        _ operation: SMPPacket.Operation, _ group: UInt16, _ command: UInt8, _ content: [String: CBOR] = [:],
        then: @escaping (CBOR) -> Void
    ) {
        sequence &+= 1
        underWay[sequence] = { [unowned self] response in
            guard let content = try? CBOR.decode(response.payload), content["err"] == nil, content["rc"] == nil else {
                ending = .refused((try? CBOR.decode(response.payload)) ?? .null)
                return
            }
            then(content)
        }
        let packet = SMPPacket(operation, group: group, command: command, sequence: sequence, .map(content))
        phone.stream(packet.octets, to: MCUmgrDevice.characteristic)
    }

    private func begin() {
        send(.read, 0, 6) { [unowned self] parameters in
            window = Int(parameters["buf_count"]?.number ?? 1)
            send(.read, 1, 0) { [unowned self] _ in
                next = 0
                sendChunk()
            }
        }
    }

    private func sendChunk() {
        let end = min(next + chunkLength, image.count)
        var content: [String: CBOR] = ["off": .unsigned(UInt64(next)), "data": .bytes(Array(image[next..<end]))]
        if next == 0 {
            content["len"] = .unsigned(UInt64(image.count))
            content["sha"] = .bytes(Array(SHA256.hash(data: image)))
        }
        let isFirst = next == 0
        next = end
        chunks += 1
        if chunks == chunksUntilLoss {
            chunksUntilLoss = nil
            return phone.disconnect()
        }
        send(.write, 1, 1, content) { [unowned self] in answered($0, isFirst) }
        // The first chunk erases the slot, and its answer says where to go on: nothing follows it before that.
        while !isFirst, underWay.count < window, next < image.count { sendChunk() }
    }

    private func answered(_ content: CBOR, _ isFirst: Bool) {
        let offset = content["off"]?.number ?? 0
        offsets.append(offset)
        guard offset < UInt64(image.count) else { return test() }
        // Nothing is under way, and the device has less than was sent: a chunk was lost.
        if isFirst || underWay.isEmpty { next = Int(offset) }
        if next < image.count, underWay.count < window { sendChunk() }
    }

    private func test() {
        guard let hash = MCUbootImage(image)?.hash else { return }
        send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(false)]) { [unowned self] _ in
            send(.write, 0, 5) { [unowned self] _ in hasReset = true }
        }
    }

    private func confirm() {
        send(.read, 1, 0) { [unowned self] content in
            let running = content["images"]?.items?.first { $0["active"]?.truth == true }
            guard let hash = running?["hash"]?.octetString, hash == MCUbootImage(image)?.hash else {
                ending = .notStarted
                return
            }
            send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(true)]) { [unowned self] _ in
                ending = .updated
            }
        }
    }
}
