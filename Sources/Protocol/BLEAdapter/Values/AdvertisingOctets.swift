import BLEWire

/// The AD structures of the advertising data of a device, and those of its scan response, which is empty if none was received. Each is parsed
/// separately: a malformed structure in one does not affect the other (Vol 3, Part C, 11).
///
/// Those of legacy advertising, at most 31 octets each (Vol 6, Part B, 2.3.1.1 and 2.3.2.2), are part of the value: a new advertiser needs no array.
@usableFromInline
package struct AdvertisingOctets: Sendable {
    @usableFromInline let short: [62 of UInt8]
    @usableFromInline let dataCount: Int
    @usableFromInline let count: Int
    /// The octets if there are more than `short` has; `short` is unused then.
    @usableFromInline let long: [UInt8]?

    package init(data: Span<UInt8>, scanResponse: Span<UInt8>) {
        var short: [62 of UInt8] = .init(repeating: 0)
        var long: [UInt8]?
        dataCount = data.count
        count = data.count + scanResponse.count
        if count <= 62 {
            withUnsafeMutableBytes(of: &short) { target in
                data.withUnsafeBytes { target.copyMemory(from: $0) }
                scanResponse.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: target[data.count...]).copyMemory(from: $0)
                }
            }
        } else {
            var octets = [UInt8](data)
            octets.append(scanResponse)
            long = octets
        }
        self.short = short
        self.long = long
    }

    package init(data: [UInt8] = [], scanResponse: [UInt8] = []) {
        self.init(data: data.span, scanResponse: scanResponse.span)
    }

    @inlinable
    package var data: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            if long != nil { return long!.span.extracting(0..<dataCount) }
            return short.span.extracting(0..<dataCount)
        }
    }

    @inlinable
    package var scanResponse: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            if long != nil { return long!.span.extracting(dataCount..<count) }
            return short.span.extracting(dataCount..<count)
        }
    }

    package func replacing(data: Span<UInt8>) -> AdvertisingOctets {
        AdvertisingOctets(data: data, scanResponse: scanResponse)
    }

    package func replacing(scanResponse: Span<UInt8>) -> AdvertisingOctets {
        AdvertisingOctets(data: data, scanResponse: scanResponse)
    }

    /// The most structures of each half that are compared, twice as many as a legacy packet has. The time of the comparison grows with the product.
    package static let maximumCompared = 32

    /// Whether the advertising data and the scan response have different values for a key that has one value in a report: manufacturer data, the
    /// transmit power, or the service data of a UUID. Halves of very many structures count as different.
    package var halvesDiffer: Bool {
        guard dataCount > 0, count > dataCount else { return false }
        if Self.areMany(in: data) || Self.areMany(in: scanResponse) { return true }
        var structures = AD.Structures(scanResponse)
        while let structure = structures.next() {
            if structure.hasOneValue, Self.hasOther(than: structure, in: data) { return true }
        }
        return false
    }

    private static func areMany(in octets: Span<UInt8>) -> Bool {
        // A structure has two octets or more.
        guard octets.count > 2 * maximumCompared else { return false }
        var structures = AD.Structures(octets)
        var count = 0
        while let _ = structures.next() {
            count += 1
            if count > maximumCompared { return true }
        }
        return false
    }

    private static func hasOther(than structure: AD.Structure, in octets: Span<UInt8>) -> Bool {
        var structures = AD.Structures(octets)
        while let other = structures.next() {
            if let uuid = structure.serviceDataUUID, let value = structure.serviceDataValue {
                // The UUID may have another length.
                if other.serviceDataUUID == uuid, let first = other.serviceDataValue, !first.elementsEqual(value) {
                    return true
                }
            } else if other.type == structure.type, !other.data.elementsEqual(structure.data) {
                return true
            }
        }
        return false
    }

    /// Whether there is a local name, complete or shortened.
    package var haveLocalName: Bool { AD.hasLocalName(in: data) || AD.hasLocalName(in: scanResponse) }
}

extension AdvertisingOctets: Hashable {
    @usableFromInline
    package static func == (left: AdvertisingOctets, right: AdvertisingOctets) -> Bool {
        left.data.elementsEqual(right.data) && left.scanResponse.elementsEqual(right.scanResponse)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
        scanResponse.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension AD.Structure {
    /// Whether a report has one value for the key of the structure.
    fileprivate var hasOneValue: Bool { type == .manufacturerData || type == .transmitPower || serviceDataUUID != nil }
}
