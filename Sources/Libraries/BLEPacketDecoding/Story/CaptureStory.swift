import BLETransport
import BLEWire

/// What happened in a capture of anybody's devices: who advertised, which links there were, what was read and written, why a link ended, and what is unusual.
///
/// The story is a value. `add` takes the packets of a file in their order, and `finish` ends it. Equal packets give equal stories. Its memory is bounded by the
/// limits of this type and of its parts, whatever the packets are: those of HCI, also of several controllers, or those of the air, also cut or damaged.
///
/// It reads the Attribute Protocol on its fixed channel, the signals of L2CAP and the Security Manager. Of credit-based channels it tells that they were opened.
package struct CaptureStory: Sendable {
    /// The most links. Later ones are counted only.
    package static let linkLimit = 128
    /// The most devices that advertised. The packets of later ones are counted only.
    package static let advertiserLimit = 512
    /// The most devices whose attributes a later link with the same device knows by name. Beyond it, all are forgotten.
    package static let knownLimit = 64

    /// The packets by kind.
    package struct Counts: Hashable, Sendable {
        package internal(set) var all = 0
        package internal(set) var host = 0
        package internal(set) var air = 0
        /// Packets of other protocols, and records that are no packets.
        package internal(set) var other = 0
        package internal(set) var undecodable = 0
        /// Packets of which the file has only the first octets.
        package internal(set) var truncated = 0
        /// Packets on the air that the recorder received with bit errors. They are not part of the story.
        package internal(set) var damaged = 0
    }

    package internal(set) var counts = Counts()
    package private(set) var last: Moment?
    package internal(set) var links: [LinkStory] = []
    /// Links beyond the limit. Those whose start is not in the capture are not counted separately.
    package internal(set) var leftOutLinks = 0
    /// In the order of their first packets.
    package internal(set) var advertisers: [AdvertiserStory] = []
    /// The packets of further advertisers, whose addresses are not remembered.
    package internal(set) var leftOutReports = 0
    /// The findings that belong to no link.
    package internal(set) var findings = FindingList()
    /// The indexes of the links that did not end.
    var open: [LinkStory.Key: Int] = [:]
    /// The indexes of the advertisers, by `DeviceAddress.key`.
    var advertiserIndexes: [UInt64: Int] = [:]
    /// The names of attributes, by device, for its next link.
    var known: [UInt64: HandleTable] = [:]
    var senders = LinkSenders()
    private var times = CaptureTimes()

    package init() {}

    /// The first time of the file, in nanoseconds since the beginning of 1970; nil if no packet has a time.
    package var origin: Int64? { times.origin }

    /// Takes the next packet of the file.
    package mutating func add(_ packet: CapturedPacket) {
        let moment = times.moment(of: packet)
        last = moment
        counts.all += 1
        if packet.isTruncated { counts.truncated += 1 }
        switch packet.content {
        case .host(let host):
            counts.host += 1
            takeHost(host, at: moment)
        case .air(let air):
            counts.air += 1
            if air.isIntact { takeAir(air, at: moment) } else { counts.damaged += 1 }
        case .other: counts.other += 1
        case .undecodable: counts.undecodable += 1
        }
    }

    /// Ends the story: what did not happen by now did not happen.
    package mutating func finish() {
        guard let last else { return }
        for index in links.indices where links[index].ending == nil {
            if !endInSilence(index, last) { links[index].finish(at: last) }
        }
        open = [:]
        for advertiser in advertisers {
            guard let interval = advertiser.illegalInterval else { continue }
            findings.add(.advertisingTooFast(advertiser.address, interval: interval), at: advertiser.first)
        }
    }

    mutating func noteUndecodable() { counts.undecodable += 1 }

    // MARK: Links

    /// Begins a link. Another open one with the same key is over, although no packet says it.
    mutating func begin(
        _ key: LinkStory.Key, isWhole: Bool, local: LinkSide?, isRoleKnown: Bool,
        parameters: LinkParameters? = nil, addresses: [DeviceAddress?] = [nil, nil], at moment: Moment
    ) -> Int? {
        if let index = open.removeValue(forKey: key) { end(index, .silence, reason: nil, at: links[index].last) }
        if case .air(let address) = key { senders.forget(address) }
        guard links.count < Self.linkLimit else {
            // Each packet of a link without its start comes here, so those links count as one at most.
            if isWhole || leftOutLinks == 0 { leftOutLinks += 1 }
            return nil
        }
        var link = LinkStory(
            number: links.count + 1, key: key, isWhole: isWhole, local: local, isRoleKnown: isRoleKnown,
            parameters: parameters, at: moment)
        link.addresses = addresses
        for side in [LinkSide.central, .peripheral] {
            guard let name = nameKey(of: side, link), let table = known[name] else { continue }
            link.servers[side.rawValue].attributes = table
            link.servers[side.rawValue].isDiscovered = true
        }
        links.append(link)
        open[key] = links.count - 1
        return links.count - 1
    }

    mutating func end(_ index: Int, _ cause: LinkEnding.Cause, reason: HCI.ErrorCode?, at moment: Moment) {
        links[index].end(LinkEnding(moment: moment, cause: cause, reason: reason))
        if let finding = reason.flatMap(LinkStory.finding(of:)) {
            links[index].output.findings.add(finding, at: moment)
        }
        open[links[index].key] = nil
        remember(links[index])
        links[index].forgetNames()
    }

    /// Keeps the names of attributes for the next link with the same devices.
    private mutating func remember(_ link: LinkStory) {
        for side in [LinkSide.central, .peripheral] {
            let table = link.servers[side.rawValue].attributes
            guard table.count > 0, let name = nameKey(of: side, link) else { continue }
            if known[name] == nil, known.count >= Self.knownLimit { known.removeAll() }
            known[name] = table
        }
    }

    /// The device of a side: its address, or the controller of the capture.
    private func nameKey(of side: LinkSide, _ link: LinkStory) -> UInt64? {
        if let address = link.addresses[side.rawValue] { return address.asDevice.key }
        if side == link.local, case .host(let controller, _) = link.key { return 1 << 60 | UInt64(controller) }
        return nil
    }

    // MARK: Advertisers

    /// Takes an advertising packet or a report of one.
    mutating func takeAdvertising(
        _ address: DeviceAddress, _ data: Span<UInt8>, signal: Int8?, isConnectable: Bool, isEvent: Bool = false,
        at moment: Moment
    ) {
        let key = address.asDevice.key
        let index: Int
        if let known = advertiserIndexes[key] {
            index = known
        } else if advertisers.count < Self.advertiserLimit {
            index = advertisers.count
            advertiserIndexes[key] = index
            advertisers.append(AdvertiserStory(address.asDevice, at: moment))
        } else {
            leftOutReports += 1
            return
        }
        advertisers[index].add(data, signal: signal, isConnectable: isConnectable, at: moment)
        if isEvent { advertisers[index].addEvent(at: moment) }
    }

    /// The name of a device, from its advertising.
    package func name(of address: DeviceAddress) -> String? {
        advertiserIndexes[address.asDevice.key].flatMap { advertisers[$0].name }
    }
}
