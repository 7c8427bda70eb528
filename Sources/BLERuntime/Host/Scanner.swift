import BLEWire

/// What is known of the advertisers heard during a scan, and what each session has been told of them.
///
/// A scannable advertiser is reported once its scan response has come, so that a session that wants each device once gets
/// one report with everything in it. A response may get lost: then the advertiser is reported without it after
/// `responsePatience`, and again, as changed, when the response comes after all.
struct Scanner {
    /// How long a scannable advertiser waits for its scan response.
    static let responsePatience = TimeSpan.milliseconds(250)

    struct Advertiser {
        var peer: PeerIdentifier
        var data: [UInt8] = []
        var scanResponse: [UInt8]?
        var isConnectable = false
        var rssi: Int8 = 127
        /// Counts changes of content; from 1.
        var version = 0
        /// Set while its scan response is waited for.
        var isHeld = false
        /// Set when that was in vain.
        var wasReportedWithoutResponse = false
        /// The number of the packet that was heard last.
        var lastPacket = 0
    }

    struct Session {
        var number: Int
        var request: ScanRequest
        /// The version last reported of each advertiser.
        var reported: [DeviceAddress: Int] = [:]
    }

    /// Sessions that scan, in the order in which they began.
    var sessions: [Session] = []
    var advertisers: [DeviceAddress: Advertiser] = [:]
    private var packets = 0

    /// How many advertisers are remembered. Devices that change their address again and again do not fill the memory.
    static let capacity = 4096

    /// Remembers an advertiser that was heard just now. If there are too many, the half that was heard longest ago is
    /// forgotten; those are news when they are heard again.
    mutating func remember(_ advertiser: Advertiser, at address: DeviceAddress) {
        packets += 1
        var advertiser = advertiser
        advertiser.lastPacket = packets
        advertisers[address] = advertiser
        guard advertisers.count > Self.capacity else { return }
        let oldest = advertisers.values.map(\.lastPacket).sorted()[advertisers.count / 2]
        advertisers = advertisers.filter { $0.value.lastPacket > oldest }
        for index in sessions.indices {
            sessions[index].reported = sessions[index].reported.filter { advertisers[$0.key] != nil }
        }
    }
}

extension ScanRequest {
    /// Whether this request is about a device with these advertising data and scan response.
    func matches(_ data: Span<UInt8>, _ scanResponse: Span<UInt8>) -> Bool {
        if services.isEmpty, solicitedServices.isEmpty { return true }
        for service in services {
            if AD.contains(service: service, in: data) || AD.contains(service: service, in: scanResponse) {
                return true
            }
        }
        for service in solicitedServices {
            if AD.solicits(service: service, in: data) || AD.solicits(service: service, in: scanResponse) {
                return true
            }
        }
        return false
    }
}
