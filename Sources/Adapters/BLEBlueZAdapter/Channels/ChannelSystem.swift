import BLEWire

/// The channels of the system. `KernelChannels` are those of Linux.
protocol ChannelSystem: AnyObject {
    /// Begins to open a channel from the adapter with the address `local`. The number is a valid one.
    func connect(_ psm: UInt16, to peer: DeviceAddress, from local: DeviceAddress) throws(ChannelSystemError)
        -> any ChannelSocket
    /// Accepts channels for a new number.
    func listen(on local: DeviceAddress, requiresEncryption: Bool) throws(ChannelSystemError) -> any ChannelListener
}

/// The number of an error of the system.
struct ChannelSystemError: Error, Hashable {
    let code: Int32
}

/// How far the opening of a channel is.
enum ChannelProgress: Hashable {
    case waiting
    /// With the longest SDU that the peer accepts, in octets.
    case connected(sendMTU: Int)
    case failed(ChannelSystemError)
}

enum ChannelRead: Hashable {
    /// The number of octets of an SDU.
    case octets(Int)
    /// Nothing is there now.
    case nothing
    /// The channel has ended, with the number of an error, or 0.
    case end(Int32)
}

/// A channel as the system has it. Used on one serial queue, on which the callbacks run, never within a method.
protocol ChannelSocket: AnyObject {
    /// Called as long as an SDU, an error or the end can be read, while reading is watched.
    var onReadable: (() -> Void)? { get set }
    /// Called as long as an SDU can be sent, while writing is watched.
    var onWritable: (() -> Void)? { get set }

    var progress: ChannelProgress { get }
    func watch(reading: Bool, writing: Bool)
    /// Reads one SDU into the buffer. After an error, SDUs that arrived before may follow.
    func receive(into buffer: inout [UInt8]) -> ChannelRead
    /// Returns 0 if the system has taken the SDU, or the number of an error.
    func send(_ sdu: Span<UInt8>) -> Int32
    /// No callback follows.
    func close()
}

/// A service that accepts channels. The same rules apply.
protocol ChannelListener: AnyObject {
    var psm: UInt16 { get }
    var onAccept: ((any ChannelSocket, DeviceAddress) -> Void)? { get set }
    func close()
}
