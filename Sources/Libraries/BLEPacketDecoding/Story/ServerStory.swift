import BLEWire

/// What a client did with the server of the other side of a link, as far as it was visible.
package struct ServerStory: Sendable {
    /// A service or a characteristic that a discovery named.
    package struct Declared: Hashable, Sendable {
        package var kind: KnownAttribute.Kind
        package var uuid: BluetoothUUID
        /// The handle of a service's declaration, or of a characteristic's value.
        package var handle: UInt16
        /// The last handle of a service.
        package var end: UInt16
        /// The properties of a characteristic.
        package var properties: UInt8?
    }

    /// The use of one attribute.
    package struct Use: Hashable, Sendable {
        /// What a discovery says about it; nil if none named it.
        package internal(set) var attribute: KnownAttribute?
        package internal(set) var reads = 0
        package internal(set) var writes = 0
        package internal(set) var commands = 0
        package internal(set) var notifications = 0
        package internal(set) var indications = 0
        /// The octets of the values in both directions.
        package internal(set) var octets = 0
        /// The first and the last notification or indication.
        package internal(set) var firstUpdate: Moment?
        package internal(set) var lastUpdate: Moment?
        /// The content of the client characteristic configuration; nil if it was not written.
        package internal(set) var configuration: UInt16?

        /// Notifications and indications in a second; nil for fewer than two, or without times.
        package var rate: Double? {
            guard let firstUpdate, let lastUpdate else { return nil }
            let span = lastUpdate.since(firstUpdate)
            return span > 0 ? Double(notifications + indications - 1) * 1e9 / Double(span) : nil
        }
    }

    /// An error that the server answered with.
    package struct Refusal: Hashable, Sendable {
        package var request: ATT.Opcode
        package var handle: UInt16
        /// What a discovery says about the attribute; nil if the request has a range.
        package var attribute: KnownAttribute?
        package var code: ATT.ErrorCode
        package var first: Moment
        package var count = 1
    }

    /// A request without its answer.
    struct Exchange: Hashable, Sendable {
        var opcode: ATT.Opcode
        /// The handle, or the first one of a range.
        var handle: UInt16
        var type: UInt16
        var service: BluetoothUUID?
        /// The content of a write, if it has two octets.
        var number: UInt16?
        /// The ATT_MTU that the client offers.
        var mtu: UInt16 = 0
        var octets = 0
        var moment: Moment
    }

    package static let declarationLimit = 256
    package static let useLimit = 128
    package static let refusalLimit = 64
    /// The time that a server has for an answer, and a client for a confirmation (Vol 3, Part F, 3.3.3), in nanoseconds.
    static let transactionTimeout: Int64 = 30_000_000_000

    /// In the order of their handles.
    package internal(set) var declared: [Declared] = []
    package internal(set) var uses: [UInt16: Use] = [:]
    package internal(set) var refusals: [Refusal] = []
    /// The uses, errors and declarations beyond these limits.
    package internal(set) var leftOut = 0
    /// The requests for an ATT_MTU, and the smaller one of the last two offers (Vol 3, Part F, 3.4.2.2).
    var mtuExchanges = 0
    var mtu = ATT.defaultMTU
    /// The names, also from an earlier link with the same device.
    var attributes = HandleTable()
    /// Whether this link, or an earlier one with the same device, had a discovery.
    var isDiscovered = false
    /// Whether the discovery has its event.
    var hasDiscoveryEvent = false
    var exchange: Exchange?
    var indication: (handle: UInt16, moment: Moment)?
    /// Since when the client knows that the attributes changed, and does not look for them.
    var changed: Moment?
    /// An error for lack of security on a link that is not encrypted since.
    var security: (code: ATT.ErrorCode, moment: Moment)?
    /// Handles that the client wrote 0 to 3 to in two octets, without a discovery: probably configurations.
    var probableConfigurations: [UInt16: UInt16] = [:]

    // MARK: Records

    mutating func use(_ handle: UInt16, _ change: (inout Use) -> Void) {
        guard uses[handle] != nil || uses.count < Self.useLimit else {
            leftOut += 1
            return
        }
        var use = uses[handle] ?? Use()
        if use.attribute == nil { use.attribute = attributes[handle] }
        change(&use)
        uses[handle] = use
    }

    mutating func refuse(_ request: ATT.Opcode, _ handle: UInt16, _ code: ATT.ErrorCode, at moment: Moment) {
        let attribute = request == .readRequest || request == .writeRequest ? attributes[handle] : nil
        let index = refusals.firstIndex { $0.request == request && $0.handle == handle && $0.code == code }
        if let index {
            refusals[index].count += 1
        } else if refusals.count < Self.refusalLimit {
            refusals.append(
                Refusal(request: request, handle: handle, attribute: attribute, code: code, first: moment))
        } else {
            leftOut += 1
        }
    }

    mutating func learn(_ pdu: Span<UInt8>, for exchange: Exchange) {
        FoundAttribute.forEach(in: pdu, requestedType: exchange.type, service: exchange.service) { found in
            attributes.note(found)
            if let count = found.valueCount {
                use(found.handle) {
                    $0.reads += 1
                    $0.octets += count
                }
            }
            if found.kind == .service || found.kind == .value && !found.isGuess { declare(found) }
        }
    }

    private mutating func declare(_ found: FoundAttribute) {
        let declared = Declared(
            kind: found.kind, uuid: found.uuid, handle: found.handle, end: found.end, properties: found.properties)
        let index = self.declared.firstIndex { $0.handle >= found.handle } ?? self.declared.count
        if index < self.declared.count, self.declared[index].handle == found.handle {
            self.declared[index] = declared
        } else if self.declared.count < Self.declarationLimit {
            self.declared.insert(declared, at: index)
        } else {
            leftOut += 1
        }
    }

    /// Whether the client asked for this kind of updates of a value; nil if it may have done so in writes that nothing names.
    func isSubscribed(_ handle: UInt16, isIndication: Bool) -> Bool? {
        let bit: UInt16 = isIndication ? 2 : 1
        if let configuration = uses[handle]?.configuration { return configuration & bit != 0 }
        // The descriptors follow their value.
        let isProbable = probableConfigurations.contains { place, value in
            place > handle && place - handle < 32 && value & bit != 0
        }
        return isProbable ? nil : false
    }
}
