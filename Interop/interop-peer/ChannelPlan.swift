import CoreBluetooth

/// The values that both sides of a run with L2CAP channels expect. Interop/channel_plan.py is the Python version.
enum ChannelPlan {
    /// No server listens on this SPSM.
    static let wrongPSM: CBL2CAPPSM = 0x00F1
    /// Contains the SPSM in little endian.
    static var psmCharacteristic: CBUUID { CBUUID(string: CBUUIDL2CAPPSMCharacteristicString) }
    /// The client sends this data, and the server returns it.
    static let data = Data((0..<40_000).map { UInt8(truncatingIfNeeded: 7 * $0 + ($0 >> 8)) })
    /// The server sends this data on each second channel, then closes the channel.
    static let goodbye = Data((0..<3_000).map { UInt8(truncatingIfNeeded: 11 * $0 + 1) })
}

/// The streams of a channel on the main run loop. Sends queued data and collects received data.
@MainActor final class ChannelStreams: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private var unsent = Data()
    private(set) var received = Data()
    /// The number of octets received at the end of the input stream; nil before the end.
    private(set) var lengthAtEnd: Int?
    var hasEnded: Bool { lengthAtEnd != nil }
    /// Called after each event.
    var onEvent: (() -> Void)?
    var isEcho = false
    var isSent: Bool { unsent.isEmpty }

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        super.init()
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    func send(_ data: Data) {
        unsent.append(data)
        write()
    }

    func close() {
        channel.inputStream.close()
        channel.outputStream.close()
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            received.append(contentsOf: buffer[..<count])
            if isEcho { send(Data(buffer[..<count])) }
        case .hasSpaceAvailable: write()
        // The output stream ends with the channel, the input stream after its last octet.
        case .endEncountered where aStream === channel.inputStream: lengthAtEnd = received.count
        default: break
        }
        onEvent?()
    }

    private func write() {
        while !unsent.isEmpty, channel.outputStream.hasSpaceAvailable {
            let chunk = [UInt8](unsent.prefix(1_500))
            let count = channel.outputStream.write(chunk, maxLength: chunk.count)
            guard count > 0 else { return }
            unsent = Data(unsent.dropFirst(count))
        }
    }
}
