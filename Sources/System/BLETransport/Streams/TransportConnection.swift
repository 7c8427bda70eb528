/// An open connection to a controller or to a host, before the first read. A `PolledStream` or a `DispatchStream` takes
/// it. Otherwise it closes when it is released.
package struct TransportConnection: Sendable {
    package let descriptor: Descriptor
    /// The destination of the connection, for messages.
    package let name: String

    init(_ descriptor: Descriptor, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Takes ownership of a connected stream socket.
    package init(socket number: Int32, name: String) {
        Sockets.prepare(number)
        self.init(Descriptor(number), name: name)
    }

    /// Takes ownership of an open device that keeps the boundaries of packets: each read and each write is one H4 packet.
    package init(packetDevice number: Int32, name: String) {
        self.init(Descriptor(number, kind: .packetDevice), name: name)
    }

    /// Takes ownership of a connected socket that keeps the boundaries of packets: each read and each write is one H4
    /// packet.
    package init(packetSocket number: Int32, name: String) {
        Sockets.prepare(number)
        self.init(Descriptor(number, kind: .packets), name: name)
    }
}
