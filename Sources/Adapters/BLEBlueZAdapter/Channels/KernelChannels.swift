import BLETransport
import BLEWire
import CLinuxBluetooth
import Dispatch

/// The L2CAP channels of the Linux kernel. Used on one queue.
final class KernelChannels: ChannelSystem {
    /// The channels of a service that wait to be accepted.
    private static let backlog: Int32 = 8

    private let queue: DispatchQueue

    /// - Parameter queue: The serial queue of the callbacks.
    init(_ queue: DispatchQueue) { self.queue = queue }

    func connect(
        _ psm: UInt16, to peer: DeviceAddress, from local: DeviceAddress
    ) throws(ChannelSystemError) -> any ChannelSocket {
        let descriptor = try open(local, requiresEncryption: false)
        _ = try checked(clb_connect_channel(descriptor.number, clb_le_address(peer), psm))
        return KernelChannelSocket(descriptor, queue)
    }

    func listen(
        on local: DeviceAddress, requiresEncryption: Bool
    ) throws(ChannelSystemError) -> any ChannelListener {
        let descriptor = try open(local, requiresEncryption: requiresEncryption)
        let psm = try checked(clb_listen_for_channels(descriptor.number, Self.backlog))
        return KernelChannelListener(descriptor, psm: UInt16(truncatingIfNeeded: psm), queue)
    }

    private func open(
        _ local: DeviceAddress, requiresEncryption: Bool
    ) throws(ChannelSystemError) -> Descriptor {
        let number = clb_open_channel_socket(
            clb_le_address(local), BlueZChannels.receiveMTU, requiresEncryption ? 1 : 0)
        return Descriptor(try checked(number), kind: .packets)
    }

    private func checked(_ result: Int32) throws(ChannelSystemError) -> Int32 {
        guard result >= 0 else { throw ChannelSystemError(code: -result) }
        return result
    }
}

/// A socket whose reads and writes are SDUs.
final class KernelChannelSocket: ChannelSocket {
    /// The SDUs of no octets in a row that a socket may have after the hang-up.
    private static let mostEmpty = 16

    var onReadable: (() -> Void)?
    var onWritable: (() -> Void)?

    private let descriptor: Descriptor
    private let queue: DispatchQueue
    private var streamWatch: DispatchWatch?

    /// - Parameter descriptor: Of the kind `packets`: libdispatch does not report the errors of a Bluetooth socket itself.
    init(_ descriptor: Descriptor, _ queue: DispatchQueue) {
        (self.descriptor, self.queue) = (descriptor, queue)
    }

    var progress: ChannelProgress {
        let error = clb_take_socket_error(descriptor.number)
        guard error == 0 else { return .failed(ChannelSystemError(code: -error)) }
        let mtu = clb_read_channel_mtu(descriptor.number)
        if mtu >= 0 { return .connected(sendMTU: Int(mtu)) }
        return Sockets.hasHungUp(descriptor) ? .failed(ChannelSystemError(code: ECONNREFUSED)) : .waiting
    }

    func watch(reading: Bool, writing: Bool) {
        let watch =
            streamWatch
            ?? DispatchWatch(
                descriptor, queue: queue, onReadable: { [weak self] in self?.onReadable?() },
                onWritable: { [weak self] in self?.onWritable?() })
        streamWatch = watch
        watch.watchReading(reading)
        watch.watchWriting(writing)
    }

    func receive(into buffer: inout [UInt8]) -> ChannelRead {
        for _ in 0..<Self.mostEmpty {
            let number = descriptor.number
            let result = buffer.withUnsafeMutableBytes { clb_receive_packet(number, $0.baseAddress, $0.count) }
            if result > 0 { return .octets(Int(result)) }
            if result == -Int64(EAGAIN) { return .nothing }
            if result < 0 { return .end(Int32(-result)) }
            // An SDU of no octets reads like the end, which a socket has when it has hung up, and then always.
            if !Sockets.hasHungUp(descriptor) { return .nothing }
        }
        return .end(0)
    }

    func send(_ sdu: Span<UInt8>) -> Int32 {
        let result = sdu.withUnsafeBytes { clb_send_packet(descriptor.number, $0.baseAddress, $0.count) }
        return result < 0 ? Int32(-result) : 0
    }

    func close() {
        (onReadable, onWritable) = (nil, nil)
        streamWatch?.cancel()
        streamWatch = nil
        // The watch may hold the descriptor for some time after this call.
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }
}

/// A listening socket. `@unchecked Sendable`: it is used on its queue.
private final class KernelChannelListener: ChannelListener, @unchecked Sendable {
    /// The channels that one event accepts.
    private static let turn = 16

    let psm: UInt16
    var onAccept: ((any ChannelSocket, DeviceAddress) -> Void)?
    private let queue: DispatchQueue
    private var descriptor: Descriptor?
    private var streamWatch: DispatchWatch?

    init(_ descriptor: Descriptor, psm: UInt16, _ queue: DispatchQueue) {
        (self.descriptor, self.psm, self.queue) = (descriptor, psm, queue)
        let watch = DispatchWatch(
            descriptor, queue: queue, onReadable: { [weak self] in self?.accept() }, onWritable: {})
        watch.watchReading(true)
        streamWatch = watch
    }

    private func accept() {
        for _ in 0..<Self.turn {
            guard let descriptor else { return }
            var peer = clb_le_address()
            let number = clb_accept_channel(descriptor.number, &peer)
            guard number >= 0 else {
                if number != -EAGAIN, number != -ECONNABORTED { pause() }
                return
            }
            let socket = KernelChannelSocket(Descriptor(number, kind: .packets), queue)
            if let onAccept { onAccept(socket, peer.address) } else { socket.close() }
        }
    }

    /// Accepts again after some time. Without room for another descriptor, the event would come all the time.
    private func pause() {
        streamWatch?.watchReading(false)
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.streamWatch?.watchReading(true) }
    }

    func close() {
        onAccept = nil
        streamWatch?.cancel()
        streamWatch = nil
        if let descriptor { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        descriptor = nil
    }
}

extension clb_le_address {
    init(_ address: DeviceAddress) {
        self.init()
        withUnsafeMutableBytes(of: &octets) { octets in
            for index in octets.indices {
                octets[index] = UInt8(truncatingIfNeeded: address.value >> UInt64(8 * index))
            }
        }
        is_random = address.kind == .public || address.kind == .publicIdentity ? 0 : 1
    }

    fileprivate var address: DeviceAddress {
        let value = withUnsafeBytes(of: octets) { $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return DeviceAddress(kind: is_random == 0 ? .public : .random, value: value)
    }
}
