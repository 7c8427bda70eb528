import BLEWire

/// The state of a client beyond one link.
extension ATTServer {
    mutating func restoreClient(
        _ octets: [UInt8]?, _ database: borrowing AttributeDatabase, _ security: LinkSecurity, _ mtu: Int,
        at now: Instant, output: inout ATTOutput
    ) {
        if !isRemembered, let octets, let client = try? RememberedClient(decoding: octets.span) {
            let hash = database.databaseHash
            features.formUnion(client.features)
            if !client.isAware || client.databaseHash != hash { awareness.databaseChanged() }
            for restored in client.configurations { restore(restored, database, output: &output) }
        }
        isRemembered = true
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
        if !awareness.isAware { indicateServicesChanged(.all, database, mtu, at: now, output: &output) }
    }

    private mutating func restore(
        _ restored: RememberedClient.Configuration, _ database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        let handle = restored.valueHandle
        let bits = UInt16(restored.bits)
        guard !configurations.contains(where: { $0.valueHandle == handle }),
            let target = database.configurable(valueHandle: handle), target.fingerprint == restored.fingerprint,
            bits & ~target.allowed == 0
        else { return }
        configurations.append(
            Configuration(valueHandle: handle, bits: bits, active: 0, isProtected: target.isProtected))
        output.emit(.subscriptionChanged(valueHandle: handle, configuration: bits))
    }

    /// Emits the state of a bonded client.
    mutating func clientStateChanged(_ database: borrowing AttributeDatabase, output: inout ATTOutput) {
        guard isRemembered else { return }
        var client = RememberedClient(
            features: features, isAware: awareness.isAware, databaseHash: database.databaseHash, configurations: [])
        for configuration in configurations where configuration.bits != 0 {
            guard let target = database.configurable(valueHandle: configuration.valueHandle) else { continue }
            client.configurations.append(
                .init(
                    valueHandle: configuration.valueHandle, bits: UInt8(truncatingIfNeeded: configuration.bits),
                    fingerprint: target.fingerprint))
        }
        output.emit(.clientStateChanged(client.octets))
    }

    mutating func databaseChanged(
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, output: inout ATTOutput
    ) {
        awareness.databaseChanged()
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
    }
}
