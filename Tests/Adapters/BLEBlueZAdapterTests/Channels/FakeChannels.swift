import BLEAdapter
import BLEWire
import Glibc

@testable import BLEBlueZAdapter

/// Channels whose other side is the test.
final class FakeChannels: ChannelSystem {
    var failure: Int32?
    private(set) var sockets: [FakeSocket] = []
    private(set) var listeners: [FakeListener] = []
    private(set) var calls: [String] = []
    private var nextNumber: UInt16 = 0x80

    func connect(
        _ psm: UInt16, to peer: DeviceAddress, from local: DeviceAddress
    ) throws(ChannelSystemError) -> any ChannelSocket {
        calls.append("connect \(psm) \(peer.value) \(local.value)")
        if let failure { throw ChannelSystemError(code: failure) }
        let socket = FakeSocket()
        sockets.append(socket)
        return socket
    }

    func listen(
        on local: DeviceAddress, requiresEncryption: Bool
    ) throws(ChannelSystemError) -> any ChannelListener {
        calls.append("listen \(local.value) \(requiresEncryption)")
        if let failure { throw ChannelSystemError(code: failure) }
        let listener = FakeListener(nextNumber)
        nextNumber += 1
        listeners.append(listener)
        return listener
    }
}

final class FakeSocket: ChannelSocket {
    var onReadable: (() -> Void)?
    var onWritable: (() -> Void)?
    var progress = ChannelProgress.waiting
    /// What can be read: SDUs, and errors by their numbers.
    private var incoming: [Result<[UInt8], ChannelSystemError>] = []
    private(set) var sent: [[UInt8]] = []
    /// The SDUs that are taken; nil for all.
    var room: Int?
    var sendError: Int32?
    private(set) var isReading = false
    private(set) var isWriting = false
    private(set) var isClosed = false
    private var hasHungUp = false

    func watch(reading: Bool, writing: Bool) { (isReading, isWriting) = (reading, writing) }

    func receive(into buffer: inout [UInt8]) -> ChannelRead {
        guard !incoming.isEmpty else { return hasHungUp ? .end(0) : .nothing }
        switch incoming.removeFirst() {
        case .failure(let error): return .end(error.code)
        case .success(let sdu):
            buffer.replaceSubrange(0..<sdu.count, with: sdu)
            return .octets(sdu.count)
        }
    }

    func send(_ sdu: Span<UInt8>) -> Int32 {
        if let sendError { return sendError }
        guard room != 0 else { return EAGAIN }
        room? -= 1
        sent.append(sdu.withUnsafeBufferPointer { Array($0) })
        return 0
    }

    func close() {
        isClosed = true
        (onReadable, onWritable) = (nil, nil)
    }

    // MARK: The other side

    func connect(sendMTU: Int) {
        progress = .connected(sendMTU: sendMTU)
        onWritable?()
    }

    func fail(_ code: Int32) {
        progress = .failed(ChannelSystemError(code: code))
        onReadable?()
    }

    func deliver(_ sdus: [UInt8]...) {
        incoming += sdus.map { .success($0) }
        poll()
    }

    func hangUp(_ code: Int32 = 0, after sdus: [UInt8]...) {
        if code != 0 { incoming.append(.failure(ChannelSystemError(code: code))) }
        incoming += sdus.map { .success($0) }
        hasHungUp = true
        poll()
    }

    /// Reports like a socket, as long as it is watched and there is something.
    func poll() { while isReading, !isClosed, !incoming.isEmpty || hasHungUp { onReadable?() } }

    func makeRoom(_ count: Int?) {
        room = count
        if isWriting { onWritable?() }
    }
}

final class FakeListener: ChannelListener {
    let psm: UInt16
    var onAccept: ((any ChannelSocket, DeviceAddress) -> Void)?
    private(set) var isClosed = false

    init(_ psm: UInt16) { self.psm = psm }
    func close() { isClosed = true }
}

/// Counts the changes of a channel.
final class ChannelChanges: ChannelObserver, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.
    private(set) var count = 0
    func channelChanged() { count += 1 }
}

extension ChannelHandle {
    func take(_ limit: Int = 1 << 20) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in count = read(into: buffer) }
    }

    @discardableResult
    func put(_ octets: [UInt8]) -> Int { octets.withUnsafeBufferPointer { write($0) } }
}
