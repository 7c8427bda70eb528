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

    /// Writes octets from `start` on, once. Returns their number; nil if the system takes none now.
    func write(_ output: BusOutput, from start: Int) throws(BusCallError) -> Int? {
        let descriptors = start == 0 ? output.descriptors.map(\.number) : []
        let result = output.octets.withUnsafeBytes {
            let rest = $0.dropFirst(start)
            return clb_send_descriptors(
                descriptor.number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, descriptors,
                Int32(descriptors.count))
        }
        if result >= 0 { return Int(result) }
        guard result == -Int64(EAGAIN) || result == -Int64(EWOULDBLOCK) || result == -Int64(ENOBUFS) else {
            throw .broken(systemText(Int32(-result)))
        }
        return nil
    }

    /// Ends the connection for the bus at once, also while a dispatch source holds the descriptor.
    func close() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}
