import BLEAttribute
import BLEWire

/// What outlives a link to a bonded peer. The driver keeps the octets with the bond and never interprets them.
extension HostStack {
    /// Restores what a bonded client left in this host's database: its subscriptions, its features and its knowledge of the
    /// database (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2). `subscriptionChanged` follows for each restored subscription.
    ///
    /// Call it once for each link, as soon as the link is encrypted with the keys of the bond, and after `setSecurity`. Before the
    /// encryption the peer may be another device with the same address. After a pairing on this link pass nil: what the client has
    /// done on the link is then reported for the new bond. `clientStateChanged` follows now and after each change; keep its octets.
    ///
    /// - Parameter octets: The octets kept for the bond; nil if there are none.
    package mutating func restoreClientState(_ octets: [UInt8]?, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.restoreClient(
            octets, database: database, security: connection.security, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// Uses what is known of a bonded server's database. Discoveries that the cache can answer complete without traffic, after the
    /// Database Hash has been read once (Vol 3, Part G, 2.5.2 and 7.3). Others are recorded. If a server that supports robust
    /// caching answers Database Out Of Sync, the host reads the hash, discovers the attribute of the operation again and repeats
    /// the operation. If the database has changed, `servicesChanged` reports all handles; if the attribute has changed as well,
    /// the operation fails with that error.
    ///
    /// Call it once for each link, as soon as the link is encrypted with the keys of the bond: what is discovered before the
    /// encryption may be forged and is not recorded. `attributeCacheChanged` follows when the operations of the link pause after a
    /// change, and before `disconnected`; keep its octets.
    ///
    /// - Parameter octets: The octets kept for the bond; nil if there are none.
    package mutating func useAttributeCache(_ octets: [UInt8]?, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.useAttributeCache(octets, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// Continues the channel of a `CreditBasedEvent.securityRequired`. Has no effect if the channel does not wait.
    ///
    /// - Parameter repeating: True sends the refused request again. False ends the channel with `refused` and the peer's result.
    package mutating func resumeChannel(_ number: UInt32, repeating: Bool, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.channels.resume(number, repeating: repeating, at: now)
        finish(at: now)
    }
}
