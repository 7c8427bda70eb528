extension AD {
    /// The discoverability and the capabilities of the device (Core Specification Supplement, Part A, 1.3).
    package struct Flags: ADContent, OptionSet, Hashable, Sendable {
        package static var type: StructureType { .flags }
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let limitedDiscoverable = Flags(rawValue: 0x01)
        package static let generalDiscoverable = Flags(rawValue: 0x02)
        package static let classicNotSupported = Flags(rawValue: 0x04)
        package static let simultaneousController = Flags(rawValue: 0x08)
        package static let simultaneousHost = Flags(rawValue: 0x10)

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            rawValue = try bytes.readUInt8()
            try bytes.finish()
        }
        package var encodedCount: Int { 1 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(rawValue) }
    }

    /// The transmit power of the packet, in dBm, -127 to +127 (1.5).
    package struct TransmitPower: ADContent, Hashable, Sendable {
        package static var type: StructureType { .transmitPower }
        package var level: Int8
        package init(level: Int8) { self.level = level }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            level = try bytes.readInt8()
            try bytes.finish()
        }
        package var encodedCount: Int { 1 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(level) }
    }

    /// The peripheral's preferred connection intervals, in units of 1.25 ms. 0xFFFF means no preference (1.9).
    package struct ConnectionIntervalRange: ADContent, Hashable, Sendable {
        package static var type: StructureType { .connectionIntervalRange }
        package var minimum: UInt16
        package var maximum: UInt16
        package init(minimum: UInt16, maximum: UInt16) {
            self.minimum = minimum
            self.maximum = maximum
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            minimum = try bytes.readUInt16()
            maximum = try bytes.readUInt16()
            try bytes.finish()
        }
        package var encodedCount: Int { 4 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(minimum)
            try output.write(maximum)
        }
    }

    /// The external appearance of the device: category and subcategory (1.12).
    package struct Appearance: ADContent, Hashable, Sendable {
        package static var type: StructureType { .appearance }
        package var value: UInt16
        package init(value: UInt16) { self.value = value }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            value = try bytes.readUInt16()
            try bytes.finish()
        }
        package var encodedCount: Int { 2 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(value) }
    }

    /// The complete name in UTF-8 (1.2).
    package struct CompleteLocalName: ADContent, ~Escapable {
        package static var type: StructureType { .completeLocalName }
        package let octets: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) { octets = bytes }
        package var encodedCount: Int { octets.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }
        package var text: String { octets.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
    }

    /// The beginning of a name that did not fit, in UTF-8 (1.2).
    package struct ShortenedLocalName: ADContent, ~Escapable {
        package static var type: StructureType { .shortenedLocalName }
        package let octets: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) { octets = bytes }
        package var encodedCount: Int { octets.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }
        package var text: String { octets.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
    }

    /// A company's own data after its company identifier (1.4).
    package struct ManufacturerData: ADContent, ~Escapable {
        package static var type: StructureType { .manufacturerData }
        package let company: UInt16
        package let data: Span<UInt8>

        @_lifetime(copy data)
        package init(company: UInt16, data: Span<UInt8>) {
            self.company = company
            self.data = data
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            company = try bytes.readUInt16()
            data = bytes.readRest()
        }
        package var encodedCount: Int { 2 + data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(company)
            try output.write(data)
        }
    }

    /// A URI with its scheme as one code point, undecoded (1.18).
    package struct URI: ADContent, ~Escapable {
        package static var type: StructureType { .uri }
        package let octets: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) { octets = bytes }
        package var encodedCount: Int { octets.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }
    }
}
