import BLETransport
import BLEWire
import CLinuxBluetooth

/// The connected socket of a bus, with a buffer for reading.
struct BusSocket {
    /// The octets of one read.
    private static let readSize = 1 << 16

    enum Read {
        case octets([Descriptor])
        /// Nothing is there now.
        case nothing
        case end(BusCallError)
    }

    enum Written: Equatable {
        /// The number of octets.
        case octets(Int)
        /// The system takes none until the socket is writable.
        case full
        /// The system has no memory now. The socket is writable all the same.
        case later
    }

    let descriptor: Descriptor
    private var buffer = [UInt8](repeating: 0, count: readSize)
    private var count = 0

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// The octets of the last read.
    var octets: Span<UInt8> {
        @_lifetime(borrow self)
        get { buffer.span.extracting(first: count) }
    }

    /// Reads once.
    mutating func read() -> Read {
        var numbers = [Int32](repeating: -1, count: BusFraming.mostDescriptors)
        var found = Int32(numbers.count)
        let result = buffer.withUnsafeMutableBytes {
            clb_receive_descriptors(descriptor.number, $0.baseAddress, $0.count, &numbers, &found)
        }
        count = max(0, Int(result))
        if result == -Int64(EAGAIN) || result == -Int64(EWOULDBLOCK) { return .nothing }
        if result < 0 { return .end(.broken(systemText(Int32(-result)))) }
        if found < 0 { return .end(.broken("this process has no room for another file descriptor")) }
        let descriptors = numbers.prefix(Int(found)).map { Descriptor($0, kind: .file) }
        return result == 0 ? .end(.broken("the bus closed it")) : .octets(descriptors)
    }

    /// Writes octets from `start` on, once. Returns the result of sendmsg(2): their number, or a negative error number.
    func write(_ output: BusOutput, from start: Int) -> Int64 {
        let descriptors = start == 0 ? output.descriptors.map(\.number) : []
        return output.octets.withUnsafeBytes {
            let rest = $0.dropFirst(start)
            return clb_send_descriptors(
                descriptor.number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, descriptors,
                Int32(descriptors.count))
        }
    }

    /// What the result of `write` means.
    static func written(_ result: Int64) throws(BusCallError) -> Written {
        switch result {
        case 0...: .octets(Int(result))
        case -Int64(EAGAIN), -Int64(EWOULDBLOCK): .full
        case -Int64(ENOBUFS), -Int64(ENOMEM): .later
        default: throw .broken(systemText(Int32(-result)))
        }
    }

    /// Ends the connection for the bus at once, also while a dispatch source holds the descriptor.
    func close() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}
