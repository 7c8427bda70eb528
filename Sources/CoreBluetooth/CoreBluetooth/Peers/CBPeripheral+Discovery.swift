internal import BLEWire
import Foundation

// Discovered objects. One object represents an attribute during a connection, and the results of discoveries accumulate.
extension CBPeripheral {
    func add(_ found: [DiscoveredService]) {
        let objects = found.map { object(for: $0) }
        let old = guarded.withLock { state in
            let old = state.services
            state.services = (old ?? []).merged(with: objects) { $0.range.start }
            return old
        }
        withExtendedLifetime(old) {}
    }

    func add(_ found: [DiscoveredService], includedIn service: CBService) {
        // The services of one that a change invalidated would not be released.
        guard isAlive(service, at: service.range.start) else { return }
        let objects = found.map { object(for: $0) }
        service.storage.withLock { storage in
            storage.includedServices = (storage.includedServices ?? []).merged(with: objects) { $0.range.start }
        }
    }

    func add(_ found: [DiscoveredCharacteristic], to service: CBService) {
        if has(service.characteristics, found, { ($0.valueHandle, $0.uuid) }) { return }
        let objects = found.map { object(for: $0, in: service) }
        service.storage.withLock { storage in
            storage.characteristics = (storage.characteristics ?? []).merged(with: objects) { $0.handles.start }
        }
    }

    func add(_ found: [DiscoveredDescriptor], to characteristic: CBCharacteristic) {
        if has(characteristic.descriptors, found, { ($0.handle, $0.uuid) }) { return }
        let objects = found.map { object(for: $0, in: characteristic) }
        characteristic.storage.withLock { storage in
            storage.descriptors = (storage.descriptors ?? []).merged(with: objects) { $0.handle }
        }
    }

    /// Invalidates the attributes in the changed `range` of the peer's database (Vol 3, Part G, 7.1).
    func modifyServices(_ range: HandleRange) {
        guard state == .connected else { return }
        let (invalidated, dead, replaced) = guarded.withLock { state in
            let services = state.attributes.entries.compactMap { $0.attribute as? CBService }.filter {
                $0.range.overlaps(range)
            }
            // The attributes of an invalid service are invalid, even outside the range.
            let dead = state.attributes.removeAll { entry in
                let isInRange = (entry.attribute as? CBService)?.range.overlaps(range) ?? range.contains(entry.handle)
                return isInRange || services.contains { $0.range.contains(entry.handle) }
            }
            let replaced = dead.map { state.retired.update($0.attribute, at: $0.handle) }
            state.services?.removeAll { service in services.contains { $0 === service } }
            state.serviceDiscoveries.invalidate()
            return (services, dead.map(\.attribute), replaced)
        }
        withExtendedLifetime(replaced) {}
        invalidate(dead)
        delegate?.peripheral(self, didModifyServices: invalidated)
    }

    /// Whether `objects` are exactly those that a discovery found again. Generic, because another array type would be a copy.
    private func has<Attribute: CBAttribute, Found>(
        _ objects: [Attribute]?, _ found: [Found], _ key: (Found) -> (handle: UInt16, uuid: BluetoothUUID)
    ) -> Bool {
        guard let objects, objects.count == found.count else { return false }
        return guarded.withLock { state in
            for index in objects.indices {
                let (handle, uuid) = key(found[index])
                guard state.attributes.contains(objects[index], at: handle),
                    objects[index].attributeUUID.value == uuid
                else { return false }
            }
            return true
        }
    }

    private func object(for found: DiscoveredService) -> CBService {
        known(found.range.start) { ($0 as? CBService)?.range == found.range && $0.uuid.value == found.uuid }
            ?? keep(
                CBService(
                    uuid: CBUUID(value: found.uuid), primary: found.isPrimary, range: found.range, peripheral: self),
                at: found.range.start)
    }

    private func object(for found: DiscoveredCharacteristic, in service: CBService) -> CBCharacteristic {
        known(found.valueHandle) { ($0 as? CBCharacteristic)?.service === service && $0.uuid.value == found.uuid }
            ?? keep(
                CBCharacteristic(
                    uuid: CBUUID(value: found.uuid),
                    properties: CBCharacteristicProperties(rawValue: UInt(found.properties)), value: nil,
                    handles: HandleRange(start: found.valueHandle, end: found.end), service: service),
                at: found.valueHandle)
    }

    private func object(for found: DiscoveredDescriptor, in characteristic: CBCharacteristic) -> CBDescriptor {
        known(found.handle) { ($0 as? CBDescriptor)?.characteristic === characteristic && $0.uuid.value == found.uuid }
            ?? keep(
                CBDescriptor(
                    uuid: CBUUID(value: found.uuid), value: nil, handle: found.handle, characteristic: characteristic),
                at: found.handle)
    }

    private func known<Attribute: CBAttribute>(
        _ handle: UInt16, _ isSame: (CBAttribute) -> Bool
    ) -> Attribute? {
        let known = guarded.withLock { $0.attributes[handle] }
        return known.flatMap { isSame($0) ? $0 as? Attribute : nil }
    }

    private func keep<Attribute: CBAttribute>(_ attribute: Attribute, at handle: UInt16) -> Attribute {
        let old = guarded.withLock { $0.attributes.update(attribute, at: handle) }
        withExtendedLifetime(old) {}
        return attribute
    }
}

extension HandleRange {
    fileprivate func overlaps(_ other: HandleRange) -> Bool { start <= other.end && other.start <= end }
    fileprivate func contains(_ handle: UInt16) -> Bool { start <= handle && handle <= end }
}

extension Array where Element: AnyObject {
    /// The elements and those objects of `others` that are missing, in the order of their handles.
    fileprivate func merged(with others: [Element], by handle: (Element) -> UInt16) -> [Element] {
        if isEmpty, others.isAscending(by: handle) { return others }
        // A repeated discovery
        if elementsEqual(others, by: ===) { return self }
        var merged = self
        for other in others where !merged.contains(where: { $0 === other }) { merged.append(other) }
        // The sort is stable: a malicious peer may report equal handles.
        return merged.enumerated().sorted {
            (handle($0.element), $0.offset) < (handle($1.element), $1.offset)
        }.map { $0.element }
    }

    private func isAscending(by handle: (Element) -> UInt16) -> Bool {
        for index in indices.dropFirst() where handle(self[index - 1]) >= handle(self[index]) { return false }
        return true
    }
}
