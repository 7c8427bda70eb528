/// An open connection to a controller or to a host, before anything is read from it. A `PolledStream` or a `DispatchStream` is made
/// of it; if neither is, it closes when it is released.
package struct TransportConnection: Sendable {
    let descriptor: Descriptor
    /// Where the connection leads, for messages.
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

    /// Takes ownership of a connected socket that keeps the boundaries of packets: each read and each write is one H4 packet.
    package init(packetSocket number: Int32, name: String) {
        Sockets.prepare(number)
        self.init(Descriptor(number, kind: .packets), name: name)
    }
}
