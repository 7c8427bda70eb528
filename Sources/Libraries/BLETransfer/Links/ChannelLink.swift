import CoreBluetooth

/// A link over an L2CAP channel. Messages and octets of the file are frames of one stream.
final class ChannelLink: NSObject, TransferLink, StreamDelegate {
    /// The most octets of a file in one frame.
    static let longestData = 4096
    /// The longest frame without its length: type, offset, octets.
    private static let frameLimit = 1 + dataHeaderCount + longestData
    /// The number of waiting octets from which on there is no space.
    private static let outboxLimit = 16_384

    let channel: CBL2CAPChannel
    private let input: InputStream
    private let output: OutputStream
    private let queue: DispatchQueue
    private let onFrame: (TransferFrame) -> Void
    private let onSpace: () -> Void
    private let onEnd: () -> Void
    private var assembler = FrameAssembler(limit: ChannelLink.frameLimit)
    private var outbox: [UInt8] = []
    /// The number of octets at the beginning of `outbox` that the stream has taken.
    private var taken = 0
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var isClosed = false

    init(
        _ channel: CBL2CAPChannel, queue: DispatchQueue, onFrame: @escaping (TransferFrame) -> Void,
        onSpace: @escaping () -> Void, onEnd: @escaping () -> Void
    ) {
        self.channel = channel
        self.queue = queue
        input = channel.inputStream
        output = channel.outputStream
        self.onFrame = onFrame
        self.onSpace = onSpace
        self.onEnd = onEnd
        super.init()
    }

    func open() {
        input.delegate = self
        output.delegate = self
        CFReadStreamSetDispatchQueue(input, queue)
        CFWriteStreamSetDispatchQueue(output, queue)
        input.open()
        output.open()
    }

    func close() {
        isClosed = true
        input.close()
        output.close()
    }

    var maximumData: Int { Self.longestData }
    var hasSpace: Bool { waiting < Self.outboxLimit }
    var isFlushed: Bool { waiting == 0 }
    private var waiting: Int { outbox.count - taken }

    func send(_ message: TransferMessage) {
        outbox += message.frame
        pump()
    }

    func sendData(at offset: Int, _ octets: Data) -> Bool {
        guard hasSpace else { return false }
        let count = 1 + dataHeaderCount + octets.count
        outbox += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8), TransferMessage.Kind.data]
        outbox += TransferMessage.octets(offset)
        outbox += octets
        if !hasSpace { pump() }
        return true
    }

    func flushData() { pump() }

    private func pump() {
        while waiting > 0, output.hasSpaceAvailable {
            let count = outbox.withUnsafeBufferPointer { output.write($0.baseAddress! + taken, maxLength: waiting) }
            guard count > 0 else { return }
            taken += count
        }
        if taken == outbox.count || taken >= Self.outboxLimit {
            outbox.removeFirst(taken)
            taken = 0
        }
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        guard !isClosed else { return }
        switch eventCode {
        case .hasBytesAvailable: read()
        case .hasSpaceAvailable:
            pump()
            guard hasSpace else { return }
            // What arrived while this end could not answer.
            read()
            if !isClosed { onSpace() }
        case .endEncountered, .errorOccurred:
            // Octets that arrived before the end.
            read()
            guard !isClosed else { return }
            close()
            onEnd()
        default: break
        }
    }

    /// Reads while the answers have room: a peer that takes none of them is not heard either.
    private func read() {
        while !isClosed, hasSpace, input.hasBytesAvailable {
            let count = buffer.withUnsafeMutableBufferPointer { input.read($0.baseAddress!, maxLength: $0.count) }
            guard count > 0 else { return }
            assembler.append(buffer[..<count])
            while !isClosed, let frame = assembler.next() { onFrame(decoded(frame)) }
            if !isClosed, assembler.isBroken { return onFrame(.invalid) }
        }
    }

    private func decoded(_ frame: ArraySlice<UInt8>) -> TransferFrame {
        if frame.first == TransferMessage.Kind.data { return dataFrame(Data(frame.dropFirst())) }
        return TransferMessage(frame).map(TransferFrame.message) ?? .invalid
    }
}
