import BLEWire

/// A service as clients of the API get it.
package struct GATTServiceRecord: APISubmessage {
    /// The high and the low half of 128 bits, or empty.
    package var uuid: [UInt64] = []
    package var handle: UInt32 = 0
    package var characteristics: [GATTCharacteristicRecord] = []
    /// 16 or 32 bits, or 0.
    package var shortUUID: UInt32 = 0

    package init() {}

    package init(
        uuid: [UInt64], handle: UInt32 = 0, characteristics: [GATTCharacteristicRecord] = [], shortUUID: UInt32 = 0
    ) {
        self.uuid = uuid
        self.handle = handle
        self.characteristics = characteristics
        self.shortUUID = shortUUID
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.halves(1, &uuid)
        fields.uint32(2, &handle)
        fields.messages(3, &characteristics)
        fields.uint32(4, &shortUUID)
    }
}

package struct GATTCharacteristicRecord: APISubmessage {
    package var uuid: [UInt64] = []
    /// The handle of the value.
    package var handle: UInt32 = 0
    /// The bits of the declaration (Vol 3, Part G, 3.3.1.1).
    package var properties: UInt32 = 0
    package var descriptors: [GATTDescriptorRecord] = []
    package var shortUUID: UInt32 = 0

    package init() {}

    package init(
        uuid: [UInt64], handle: UInt32 = 0, properties: UInt32 = 0, descriptors: [GATTDescriptorRecord] = [],
        shortUUID: UInt32 = 0
    ) {
        self.uuid = uuid
        self.handle = handle
        self.properties = properties
        self.descriptors = descriptors
        self.shortUUID = shortUUID
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.halves(1, &uuid)
        fields.uint32(2, &handle)
        fields.uint32(3, &properties)
        fields.messages(4, &descriptors)
        fields.uint32(5, &shortUUID)
    }
}

package struct GATTDescriptorRecord: APISubmessage {
    package var uuid: [UInt64] = []
    package var handle: UInt32 = 0
    package var shortUUID: UInt32 = 0

    package init() {}

    package init(uuid: [UInt64], handle: UInt32 = 0, shortUUID: UInt32 = 0) {
        self.uuid = uuid
        self.handle = handle
        self.shortUUID = shortUUID
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.halves(1, &uuid)
        fields.uint32(2, &handle)
        fields.uint32(3, &shortUUID)
    }
}

extension BluetoothUUID {
    /// The fields of a record. Clients of version 1.12 and later read a short form; older ones read only 128 bits.
    package func fields(short: Bool) -> (uuid: [UInt64], shortUUID: UInt32) {
        if short, let value = mediumValue, value != 0 { ([], value) } else { ([high, low], 0) }
    }

    /// - Returns: nil if the fields hold no UUID.
    package init?(uuid: [UInt64], shortUUID: UInt32) {
        if shortUUID != 0 {
            self = UInt16(exactly: shortUUID).map { BluetoothUUID($0) } ?? BluetoothUUID(shortUUID)
        } else if uuid.count == 2 {
            self = BluetoothUUID(high: uuid[0], low: uuid[1]).attributeForm
        } else if uuid.isEmpty {
            // Servers leave out an array of zeros.
            self.init(high: 0, low: 0)
        } else {
            return nil
        }
    }
}
