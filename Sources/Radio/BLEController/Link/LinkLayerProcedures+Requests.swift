import BLEWire

extension LinkLayerProcedures.Request {
    /// Whether two requests have the same kind.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.features, .features), (.version, .version), (.ping, .ping), (.length, .length), (.update, .update),
            (.channelMap, .channelMap), (.phy, .phy), (.encryption, .encryption), (.clockAccuracy, .clockAccuracy),
            (.subrate, .subrate):
            true
        // A train replaces only itself.
        case (.periodicSync(let one), .periodicSync(let other)):
            one.advertiser == other.advertiser && one.advertiserInfo == other.advertiserInfo
        default: false
        }
    }

    /// Whether the procedure starts only after the end of the peer's procedure.
    var waitsForRemote: Bool {
        switch self {
        case .update, .channelMap, .phy, .encryption, .subrate: true
        case .features, .version, .ping, .length, .clockAccuracy, .periodicSync: false
        }
    }
}
