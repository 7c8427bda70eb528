import BLEValues

/// The current values of a served profile. It answers reads and writes without Bluetooth.
package struct ProfileState: Sendable {
    package private(set) var profile: DeviceProfile
    private var generators: [CharacteristicIndex: ValueGenerator] = [:]
    /// Values that a client wrote, or that a write changed.
    private var written: [CharacteristicIndex: [UInt8]] = [:]

    package init(_ profile: DeviceProfile) {
        self.profile = profile
        for index in profile.characteristics {
            generators[index] = ValueGenerator(profile[index].value, format: profile[index].format)
        }
    }

    /// The state of a new version of the profile. Written values stay for characteristics that are equal in both versions.
    package init(_ profile: DeviceProfile, keeping old: ProfileState) {
        self.init(profile)
        for (index, octets) in old.written
        where profile.services.indices.contains(index.service)
            && profile.services[index.service].characteristics.indices.contains(index.characteristic)
            && profile.services[index.service].uuid == old.profile.services[index.service].uuid
            && profile[index] == old.profile[index]
        {
            written[index] = octets
        }
    }

    /// A message to subscribers that a write causes.
    package struct Update: Hashable, Sendable {
        package let characteristic: CharacteristicIndex
        package let value: [UInt8]
        /// Whether only the writing client receives it.
        package let isEcho: Bool

        package init(characteristic: CharacteristicIndex, value: [UInt8], isEcho: Bool) {
            self.characteristic = characteristic
            self.value = value
            self.isEcho = isEcho
        }
    }

    /// The value for a read or a notification.
    package mutating func value(of index: CharacteristicIndex, at time: ProfileTime) -> [UInt8] {
        written[index] ?? generators[index]?.octets(at: time) ?? []
    }

    /// The octets from an offset on, or the error for the client.
    package mutating func read(
        _ index: CharacteristicIndex, offset: Int, at time: ProfileTime
    ) -> Result<[UInt8], AttributeAccessError> {
        if let error = profile[index].read.error { return .failure(AttributeAccessError(error)) }
        let value = value(of: index, at: time)
        guard offset <= value.count else { return .failure(AttributeAccessError(.invalidOffset)) }
        return .success(Array(value[offset...]))
    }

    /// Checks parts of one write and stores the values: all of them, or none (Vol 3, Part F, 3.4.6.3).
    package mutating func write(
        _ parts: [(characteristic: CharacteristicIndex, offset: Int, octets: [UInt8])]
    ) -> Result<[Update], AttributeAccessError> {
        var values: [(CharacteristicIndex, [UInt8])] = []
        for part in parts {
            guard let last = values.last, last.0 == part.characteristic, part.offset > 0 else {
                guard part.offset == 0 else { return .failure(AttributeAccessError(.invalidOffset)) }
                values.append((part.characteristic, part.octets))
                continue
            }
            guard part.offset <= last.1.count else { return .failure(AttributeAccessError(.invalidOffset)) }
            values[values.count - 1].1 = Array(last.1[..<part.offset]) + part.octets
        }
        for (index, octets) in values {
            if let error = objection(to: octets, of: profile[index]) { return .failure(AttributeAccessError(error)) }
        }
        var updates: [Update] = []
        for (index, octets) in values {
            written[index] = octets
            updates += apply(profile[index].write.effects, octets, profile[index].format)
        }
        return .success(updates)
    }

    private func objection(to octets: [UInt8], of characteristic: CharacteristicProfile) -> ErrorCode? {
        let rule = characteristic.write
        guard octets.count <= CharacteristicProfile.longestValue, rule.length?.contains(octets.count) ?? true else {
            return rule.error ?? .invalidLength
        }
        if !rule.allowed.isEmpty, !rule.allowed.contains(octets) { return rule.error ?? .valueNotAllowed }
        if let range = rule.range {
            guard let number = characteristic.format.numericValue(of: octets) else {
                return rule.error ?? .invalidLength
            }
            if !range.contains(number) { return rule.error ?? .outOfRange }
        }
        return nil
    }

    private mutating func apply(_ effects: [WriteEffect], _ octets: [UInt8], _ format: ValueFormat) -> [Update] {
        effects.compactMap { effect in
            switch effect.change {
            case .echo: return Update(characteristic: effect.target, value: octets, isEcho: true)
            case .value(let value):
                written[effect.target] = value
                return Update(characteristic: effect.target, value: value, isEcho: false)
            case .linear(let factor, let offset):
                guard let number = format.numericValue(of: octets),
                    let value = profile[effect.target].format.octets(ofNumber: number * factor + offset)
                else { return nil }
                written[effect.target] = value
                return Update(characteristic: effect.target, value: value, isEcho: false)
            }
        }
    }
}

/// An error for a client.
package struct AttributeAccessError: Error, Hashable, Sendable {
    package let code: ErrorCode
    package init(_ code: ErrorCode) { self.code = code }
}
