import BLEWire

/// The state of the link around a PDU.
struct LinkContext {
    var moment: Moment
    /// Whether the capture has the link from its start.
    var isWhole: Bool
    var isEncrypted: Bool
    /// Whether the keys are older than the link: a bond, with which the server remembers the configuration of its client.
    var isBonded: Bool
}

/// The PDUs of the Attribute Protocol (Vol 3, Part F, 3.4). Each may be incomplete at its end.
extension ServerStory {
    // MARK: From the client

    mutating func takeFromClient(_ pdu: ArraySlice<UInt8>, _ context: LinkContext, _ output: inout LinkOutput) {
        let octets = AttributeOctets(pdu)
        let handle = octets.number(1)
        switch octets.opcode.kind {
        case .command:
            guard pdu.count >= 3 else { return }
            checkWrite(handle, context, &output)
            use(handle) {
                $0.commands += 1
                $0.octets += max(0, pdu.count - 3)
            }
        case .confirmation: indication = nil
        case .request: request(octets, pdu, context, &output)
        default: break
        }
    }

    private mutating func request(
        _ octets: AttributeOctets, _ pdu: ArraySlice<UInt8>, _ context: LinkContext, _ output: inout LinkOutput
    ) {
        let opcode = octets.opcode
        if exchange != nil { output.findings.add(.requestBeforeAnswer(opcode), at: context.moment) }
        var next = Exchange(
            opcode: opcode, handle: octets.number(1), type: octets.requestedType, service: octets.wantedService,
            moment: context.moment)
        if Self.isDiscovery(octets) {
            if !hasDiscoveryEvent { output.add(.discovery(by: output.client), at: context.moment) }
            (isDiscovered, hasDiscoveryEvent, changed) = (true, true, nil)
        }
        switch opcode {
        case .exchangeMTURequest:
            mtuExchanges += 1
            if mtuExchanges > 1 { output.findings.add(.secondMTUExchange, at: context.moment) }
            next.handle = 0
            next.mtu = octets.number(1)
        case .writeRequest:
            checkWrite(next.handle, context, &output)
            next.octets = max(0, pdu.count - 3)
            if pdu.count == 5 { next.number = octets.number(3) }
        case .prepareWriteRequest:
            checkWrite(next.handle, context, &output)
            next.octets = max(0, pdu.count - 5)
        default: break
        }
        exchange = next
    }

    private static func isDiscovery(_ octets: AttributeOctets) -> Bool {
        switch octets.opcode {
        case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest: true
        case .readByTypeRequest:
            octets.requestedType == AttributeOctets.characteristic || octets.requestedType == AttributeOctets.include
        default: false
        }
    }

    /// A client that looked for the attributes writes to those that it found.
    private func checkWrite(_ handle: UInt16, _ context: LinkContext, _ output: inout LinkOutput) {
        // A handle of 0 is missing in what the recorder kept.
        guard context.isWhole, isDiscovered, handle != 0, attributes[handle] == nil else { return }
        output.findings.add(.writeToUndiscovered(handle: handle), at: context.moment)
    }

    // MARK: From the server

    mutating func takeFromServer(_ pdu: ArraySlice<UInt8>, _ context: LinkContext, _ output: inout LinkOutput) {
        let octets = AttributeOctets(pdu)
        switch octets.opcode.kind {
        case .response: response(octets, pdu, context, &output)
        case .notification where octets.opcode == .multipleHandleValueNotification:
            Self.forEachValue(pdu) { handle, count in
                update(handle, octets: count, isIndication: false, context, &output)
            }
        case .notification, .indication:
            guard pdu.count >= 3 else { return }
            update(
                octets.number(1), octets: max(0, pdu.count - 3), isIndication: octets.opcode.kind == .indication,
                context, &output)
        default: break
        }
    }

    /// The handles and lengths in a PDU of several notifications, as far as it reaches.
    private static func forEachValue(_ pdu: ArraySlice<UInt8>, _ body: (UInt16, Int) -> Void) {
        let octets = AttributeOctets(pdu)
        var place = 1
        while place + 4 <= pdu.count {
            let count = Int(octets.number(place + 2))
            body(octets.number(place), count)
            place += 4 + count
        }
    }

    private mutating func response(
        _ octets: AttributeOctets, _ pdu: ArraySlice<UInt8>, _ context: LinkContext, _ output: inout LinkOutput
    ) {
        guard let exchange else { return }
        self.exchange = nil
        guard octets.opcode != .errorResponse else {
            return refused(exchange, pdu, context, &output)
        }
        guard octets.opcode == exchange.opcode.response else { return }
        let count = max(0, pdu.count - 1)
        switch exchange.opcode {
        case .exchangeMTURequest:
            let server = octets.number(1)
            mtu = max(ATT.defaultMTU, min(exchange.mtu, server))
            output.add(.mtu(client: exchange.mtu, server: server), at: context.moment)
        case .readRequest, .readBlobRequest:
            use(exchange.handle) {
                // The parts of a long value are one read.
                if exchange.opcode == .readRequest { $0.reads += 1 }
                $0.octets += count
            }
        case .writeRequest: written(exchange, context, &output)
        case .prepareWriteRequest: use(exchange.handle) { $0.octets += exchange.octets }
        case .executeWriteRequest: break
        default: learn(Array(pdu).span, for: exchange)
        }
    }

    private mutating func written(_ exchange: Exchange, _ context: LinkContext, _ output: inout LinkOutput) {
        use(exchange.handle) {
            $0.writes += 1
            $0.octets += exchange.octets
        }
        guard let number = exchange.number else { return }
        let attribute = attributes[exchange.handle]
        if let attribute, attribute.uuid == AttributeOctets.clientConfiguration {
            use(attribute.valueHandle) { $0.configuration = number }
            output.add(
                .subscription(
                    handle: attribute.valueHandle, attributes[attribute.valueHandle]?.uuid, configuration: number,
                    by: output.client), at: context.moment)
        } else if attribute == nil, number <= 3,
            probableConfigurations[exchange.handle] != nil || probableConfigurations.count < Self.useLimit
        {
            probableConfigurations[exchange.handle] = number
        }
    }

    private mutating func refused(
        _ exchange: Exchange, _ pdu: ArraySlice<UInt8>, _ context: LinkContext, _ output: inout LinkOutput
    ) {
        guard pdu.count >= 5 else { return }
        let code = ATT.ErrorCode(rawValue: pdu[pdu.startIndex + 4])
        // The end of a discovery.
        switch exchange.opcode {
        case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest, .readByTypeRequest:
            if code == .attributeNotFound { return }
        default: break
        }
        refuse(exchange.opcode, exchange.handle, code, at: context.moment)
        switch code {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            if !context.isEncrypted { security = (code, context.moment) }
        default: break
        }
    }

    private mutating func update(
        _ handle: UInt16, octets: Int, isIndication: Bool, _ context: LinkContext, _ output: inout LinkOutput
    ) {
        let uuid = attributes[handle]?.uuid
        if context.isWhole, !context.isBonded, isSubscribed(handle, isIndication: isIndication) == false {
            output.findings.add(
                .updateWithoutSubscription(handle: handle, uuid, isIndication: isIndication), at: context.moment)
        }
        use(handle) {
            if isIndication { $0.indications += 1 } else { $0.notifications += 1 }
            $0.octets += octets
            if $0.firstUpdate == nil { $0.firstUpdate = context.moment }
            $0.lastUpdate = context.moment
        }
        guard isIndication else { return }
        if let indication { notConfirmed(indication, &output) }
        indication = (handle, context.moment)
        // Service Changed.
        if uuid?.shortValue == 0x2A05 {
            (changed, hasDiscoveryEvent) = (context.moment, false)
            output.add(.serviceChanged, at: context.moment)
        }
    }

    private func notConfirmed(_ indication: (handle: UInt16, moment: Moment), _ output: inout LinkOutput) {
        output.findings.add(
            .indicationNotConfirmed(handle: indication.handle, attributes[indication.handle]?.uuid),
            at: indication.moment)
    }

    // MARK: Time

    /// Finds what waits for longer than the specification allows.
    mutating func checkTime(_ moment: Moment, _ output: inout LinkOutput) {
        if let exchange, moment.since(exchange.moment) >= Self.transactionTimeout {
            output.findings.add(.attributeTimeout(exchange.opcode), at: exchange.moment)
            self.exchange = nil
        }
        if let indication, moment.since(indication.moment) >= Self.transactionTimeout {
            notConfirmed(indication, &output)
            self.indication = nil
        }
    }

    /// The time after which a client that wants to look for changed attributes would have begun, in nanoseconds.
    private static let patience: Int64 = 5_000_000_000

    /// Finds what did not happen until the end of the link or of the capture.
    mutating func finish(_ moment: Moment, _ output: inout LinkOutput) {
        checkTime(moment, &output)
        if let changed, moment.since(changed) >= Self.patience {
            output.findings.add(.changeWithoutDiscovery, at: changed)
        }
        changed = nil
        if let security { output.findings.add(.securityIgnored(security.code), at: security.moment) }
        security = nil
    }
}
