import BLEWire

/// The number of a message of the API.
package struct APIMessageType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    init(_ rawValue: UInt16) { self.rawValue = rawValue }
}

/// A message of the API. A type states each field once, in `visit`, for both directions.
package protocol APIMessage: Hashable, Sendable {
    static var type: APIMessageType { get }
    init()
    /// Shows each field with its number to `fields`, which reads or writes it.
    mutating func visit(_ fields: inout some FieldVisitor)
}

/// A message inside another one.
package protocol APISubmessage: Hashable, Sendable {
    init()
    mutating func visit(_ fields: inout some FieldVisitor)
}

/// Reads or writes the fields of a message.
package protocol FieldVisitor {
    mutating func uint32(_ number: UInt32, _ value: inout UInt32)
    mutating func uint64(_ number: UInt32, _ value: inout UInt64)
    mutating func int32(_ number: UInt32, _ value: inout Int32)
    mutating func bool(_ number: UInt32, _ value: inout Bool)
    mutating func text(_ number: UInt32, _ value: inout String)
    mutating func bytes(_ number: UInt32, _ value: inout [UInt8])
    mutating func numbers(_ number: UInt32, _ value: inout [UInt64])
    /// The high and the low half of 128 bits, or nothing.
    mutating func halves(_ number: UInt32, _ value: inout [UInt64])
    mutating func messages<Message: APISubmessage>(_ number: UInt32, _ value: inout [Message])
}

/// Writes all fields.
struct FieldEncoder: FieldVisitor {
    var writer: ProtobufWriter

    mutating func uint32(_ number: UInt32, _ value: inout UInt32) { writer.uint(number, UInt64(value)) }
    mutating func uint64(_ number: UInt32, _ value: inout UInt64) { writer.uint(number, value) }
    mutating func int32(_ number: UInt32, _ value: inout Int32) { writer.int(number, value) }
    mutating func bool(_ number: UInt32, _ value: inout Bool) { writer.bool(number, value) }
    mutating func text(_ number: UInt32, _ value: inout String) { writer.text(number, value) }
    mutating func bytes(_ number: UInt32, _ value: inout [UInt8]) { writer.bytes(number, value.span) }

    mutating func numbers(_ number: UInt32, _ value: inout [UInt64]) {
        guard !value.isEmpty else { return }
        writer.header(number, count: value.reduce(0) { $0 + ProtobufWriter.varintCount($1) })
        for element in value { writer.varint(element) }
    }

    mutating func halves(_ number: UInt32, _ value: inout [UInt64]) { numbers(number, &value) }

    mutating func messages<Message: APISubmessage>(_ number: UInt32, _ value: inout [Message]) {
        for index in value.indices {
            writer.varint(UInt64(number) << 3 | 2)
            let start = writer.octets.count
            writer.octets.append(0)
            value[index].visit(&self)
            writer.close(lengthAt: start)
        }
    }
}

/// Offers one field of the wire to a message, which takes it if it knows the number.
struct FieldDecoder: FieldVisitor {
    /// The most elements of a repeated field of one message. A GATT server has at most 65,535 attributes.
    static let elementLimit = 4096
    /// How deep messages stand in each other. Services, characteristics and descriptors are the deepest.
    static let depthLimit = 4

    let number: UInt32
    let varint: UInt64
    /// The octets of the field; nil if it is a number.
    let octets: [UInt8]?
    let depth: Int
    var failure: ProtobufError?

    mutating func uint32(_ number: UInt32, _ value: inout UInt32) {
        if number == self.number { value = UInt32(truncatingIfNeeded: varint) }
    }
    mutating func uint64(_ number: UInt32, _ value: inout UInt64) { if number == self.number { value = varint } }
    mutating func int32(_ number: UInt32, _ value: inout Int32) {
        if number == self.number { value = Int32(truncatingIfNeeded: Int64(bitPattern: varint)) }
    }
    mutating func bool(_ number: UInt32, _ value: inout Bool) { if number == self.number { value = varint != 0 } }
    mutating func text(_ number: UInt32, _ value: inout String) {
        if number == self.number { value = String(decoding: octets ?? [], as: UTF8.self) }
    }
    mutating func bytes(_ number: UInt32, _ value: inout [UInt8]) { if number == self.number { value = octets ?? [] } }

    /// A repeated number comes packed or one by one. Readers accept both.
    mutating func numbers(_ number: UInt32, _ value: inout [UInt64]) {
        guard number == self.number else { return }
        guard let octets else {
            if value.count < Self.elementLimit { value.append(varint) }
            return
        }
        do throws(ProtobufError) {
            try forEachPackedVarint(octets.span) { if value.count < Self.elementLimit { value.append($0) } }
        } catch {
            failure = error
        }
    }

    /// More than two numbers are malformed, so that the many records of a hostile message stay small.
    mutating func halves(_ number: UInt32, _ value: inout [UInt64]) {
        numbers(number, &value)
        if value.count > 2 { failure = .malformed }
    }

    mutating func messages<Message: APISubmessage>(_ number: UInt32, _ value: inout [Message]) {
        guard number == self.number, let octets, value.count < Self.elementLimit else { return }
        guard depth < Self.depthLimit else {
            failure = .malformed
            return
        }
        do throws(ProtobufError) {
            var message = Message()
            var reader = ProtobufReader(octets.span)
            while try reader.next() {
                var field = Self(reader, depth: depth + 1)
                message.visit(&field)
                if let failure = field.failure { throw failure }
            }
            value.append(message)
        } catch {
            failure = error
        }
    }

    init(_ reader: borrowing ProtobufReader, depth: Int) {
        number = reader.number
        varint = reader.varint
        octets = reader.isOctets ? reader.content.withUnsafeBufferPointer { Array($0) } : nil
        self.depth = depth
    }
}

extension APIMessage {
    /// Decodes a message. Fields that it does not know are skipped.
    package init(decoding octets: Span<UInt8>) throws(ProtobufError) {
        self.init()
        var reader = ProtobufReader(octets)
        while try reader.next() {
            var field = FieldDecoder(reader, depth: 0)
            visit(&field)
            if let failure = field.failure { throw failure }
        }
    }

    /// Appends the fields to `writer`.
    package func encode(into writer: inout ProtobufWriter) {
        var encoder = FieldEncoder(writer: ProtobufWriter())
        swap(&encoder.writer, &writer)
        var copy = self
        copy.visit(&encoder)
        swap(&encoder.writer, &writer)
    }

    package var encoded: [UInt8] {
        var writer = ProtobufWriter()
        encode(into: &writer)
        return writer.octets
    }
}
