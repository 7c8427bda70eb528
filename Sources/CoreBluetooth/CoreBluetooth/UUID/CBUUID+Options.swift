extension Dictionary where Value == Any {
    /// The UUIDs of an option; empty if the option is missing or has another type.
    func uuids(_ key: Key) -> [CBUUID] { self[key] as? [CBUUID] ?? [] }
}
