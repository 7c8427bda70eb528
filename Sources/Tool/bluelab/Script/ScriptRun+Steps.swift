import BLEValues
import BLEWire
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation

extension ScriptRun {
    /// Performs an action. Returns what it saw.
    func perform(_ action: ScriptAction) async throws -> String? {
        switch action {
        case .scan(let pattern, let isAbsent, let limit): return try await scan(pattern, isAbsent: isAbsent, limit)
        case .connect(let device, let limit): return try await connect(device, limit)
        case .connectToConnected(let service, let limit): return try await connectToConnected(service, limit)
        case .expectName(let name, let limit):
            try await expectName(name, limit)
            return nil
        case .disconnect:
            try await session.disconnect()
            return nil
        case .expectDisconnect(let limit):
            try await expectDisconnection(limit)
            return nil
        case .discover:
            let count = try await session.discover().count
            return count == 1 ? "1 service" : "\(count) services"
        case .read(let wanted, let expectation, let isRefused):
            let characteristic = try await session.characteristic(wanted)
            return try await refused(isRefused, "the read") {
                let octets = try await self.session.read(characteristic)
                return try check(ObservedValue(octets, of: characteristic.uuid), expectation)
            }
        case .write(let wanted, let value, let response, let isRefused, let count):
            let characteristic = try await session.characteristic(wanted)
            return try await refused(isRefused, "the write") {
                for _ in 0..<count {
                    try await self.session.write(value.octets, to: characteristic, response: response)
                }
                return nil
            }
        case .subscribe(let wanted, let isRefused):
            let characteristic = try await session.characteristic(wanted)
            return try await refused(isRefused, "the subscription") {
                try await self.session.setNotifying(true, characteristic)
                return nil
            }
        case .unsubscribe(let wanted):
            try await unsubscribe(wanted)
            return nil
        case .waitForNotification(let wanted, let expectation, let count, let limit):
            return try await waitForNotifications(wanted, expectation, count, limit)
        // `run` expands repetitions.
        case .repeated: return nil
        case .sleep(let duration):
            _ = try await session.conditions.wait(duration) { false }
            return nil
        case .rssi(let bounds): return try check(try await session.rssi(), bounds, unit: "dBm")
        case .mtu(let bounds): return try check(try await session.mtu(), bounds, unit: "octets")
        case .pair(let security):
            let result = try await session.pair(pairing, minimum: security.level)
            guard let peripheral = session.peripheral else { return nil }
            return PairingRecord("paired", peripheral.identifier, peripheral.name, result).protection
        case .expectBond: return try await expectBond()
        default: return try await performAsPeripheral(action)
        }
    }

    /// Performs an action of a script that serves a profile.
    private func performAsPeripheral(_ action: ScriptAction) async throws -> String? {
        switch action {
        case .serve(let profile):
            let isFile = ProfileChoice(profile).isFile
            return try await server.serve(isFile ? URL(fileURLWithPath: profile, relativeTo: folder).path : profile)
        case .stopServing:
            server.stop()
            return nil
        case .waitForRead(let wanted, let limit): return try await server.waitForRead(wanted, limit)
        case .waitForWrite(let wanted, let expectation, let count, let limit):
            return try await server.waitForWrite(wanted, expectation, count, limit)
        case .waitForSubscription(let wanted, let limit): return try await server.waitForSubscription(wanted, limit)
        default: return nil
        }
    }

    // MARK: Devices

    private func expectDisconnection(_ limit: Duration) async throws {
        guard try await session.waitForDisconnection(limit) else {
            throw ExpectationError(expected: "a disconnection within \(inSeconds(limit))", found: "a connected device")
        }
        loss = nil
    }

    private func unsubscribe(_ wanted: String) async throws {
        let characteristic = try await session.characteristic(wanted)
        try await session.setNotifying(false, characteristic)
        notifications.removeAll { $0.characteristic === characteristic }
    }

    private func scan(_ pattern: AdvertisementPattern, isAbsent: Bool, _ limit: Duration) async throws -> String? {
        var match: (rssi: Int?, peripheral: CBPeripheral)?
        var others: [String] = []
        let isFound = try await session.scan(limit) { sighting, peripheral in
            guard pattern.matches(sighting) else {
                let rssi = sighting.rssi.map { " at \($0) dBm" } ?? ""
                let name = ValueText.printable(sighting.name ?? shortened(sighting.identifier))
                if !others.contains(where: { $0.hasPrefix(name) }), others.count < 8 { others.append(name + rssi) }
                return false
            }
            match = (sighting.rssi, peripheral)
            return true
        }
        if isAbsent {
            guard let match else { return others.isEmpty ? "no device" : others.joined(separator: ", ") }
            throw ExpectationError(
                expected: "no advertisement of \(pattern.text) within \(inSeconds(limit))",
                found: "one" + (match.rssi.map { " at \($0) dBm" } ?? ""))
        }
        guard isFound, let match else {
            throw ExpectationError(
                expected: "\(pattern.text) within \(inSeconds(limit))",
                found: others.isEmpty ? "no device" : others.joined(separator: ", "))
        }
        found = match.peripheral
        return match.rssi.map { "\($0) dBm" }
    }

    private func connect(_ device: String?, _ limit: Duration) async throws -> String? {
        loss = nil
        notifications = []
        if let device {
            try await session.connect(to: device, within: limit)
        } else if let found {
            try await session.connect(found, within: limit)
        } else {
            throw ToolError(
                .usage, "connect without a device needs a scan before it.", "Try: - connect: NAME")
        }
        return nil
    }

    /// Connects to a device that another manager of the adapter has connected.
    private func connectToConnected(_ service: BluetoothUUID, _ limit: Duration) async throws -> String? {
        loss = nil
        notifications = []
        let uuid = CBUUID(string: "\(service)")
        guard let peripheral = try await session.connected(with: uuid, limit) else {
            throw ExpectationError(expected: "a connected device with \(displayName(uuid))", found: "none")
        }
        try await session.connect(peripheral, within: limit)
        return peripheral.name.map(ValueText.printable)
    }

    /// Waits until the system has read the GAP device name, which follows the connection.
    private func expectName(_ name: String, _ limit: Duration) async throws {
        let peripheral = try await session.device()
        let isRead = try await session.conditions.wait(limit) {
            if let loss = self.loss { throw loss }
            return peripheral.name == name
        }
        guard !isRead else { return }
        throw ExpectationError(
            expected: "the name \(name) within \(inSeconds(limit))", found: peripheral.name ?? "no name")
    }

    private func expectBond() async throws -> String? {
        let peripheral = try await session.device()
        let bonds = pairing.bonds.map { PairingRecord($0) }
        guard let bond = bonds.first(where: { $0.identifier == peripheral.identifier.uuidString }) else {
            throw ExpectationError(
                expected: "a bond with \(session.deviceName ?? "the device")",
                found: bonds.isEmpty ? "no bonds" : bonds.map(\.shownName).joined(separator: ", "))
        }
        return bond.protection
    }

    // MARK: Values

    /// Runs an operation that the device performs or, if `isRefused`, refuses.
    private func refused(
        _ isRefused: Bool, _ what: String, _ operation: @MainActor () async throws -> String?
    ) async throws -> String? {
        guard isRefused else { return try await operation() }
        do {
            _ = try await operation()
        } catch let failure as ToolError where failure.isRefusal {
            // The reason is the last part of the sentence.
            return failure.lines.first?.components(separatedBy: ": ").last
        }
        throw ExpectationError(expected: "a refusal of \(what)", found: "success")
    }

    private func check(_ value: ObservedValue, _ expectation: ValueExpectation) throws -> String {
        let shown = value.shown(in: expectation.format)
        guard expectation.accepts(value) else {
            throw ExpectationError(expected: expectation.text ?? "a value", found: shown)
        }
        return shown
    }

    private func check(_ value: Int, _ bounds: Bounds, unit: String) throws -> String {
        guard bounds.contains(value) else {
            throw ExpectationError(expected: bounds.text(unit: unit) ?? "a number", found: "\(value) \(unit)")
        }
        return "\(value) \(unit)"
    }

    private func waitForNotifications(
        _ wanted: String, _ expectation: ValueExpectation, _ count: Int, _ limit: Duration
    ) async throws -> String? {
        let characteristic = try await session.characteristic(wanted)
        guard characteristic.isNotifying else {
            throw ToolError(
                .usage, "the notifications of \(displayName(characteristic.uuid)) are off.",
                "Try: - subscribe: \(wanted) before this step")
        }
        var accepted: [ObservedValue] = []
        var rejected: [ObservedValue] = []
        let isComplete = try await session.conditions.wait(limit) {
            while let index = self.notifications.firstIndex(where: { $0.characteristic === characteristic }) {
                let value = self.notifications.remove(at: index).value
                if expectation.accepts(value) { accepted.append(value) } else { rejected.append(value) }
                if accepted.count == count { return true }
            }
            if let loss = self.loss { throw loss }
            return false
        }
        let format = expectation.format
        guard isComplete else {
            let wants = count == 1 ? "a notification" : "\(count) notifications"
            let of = expectation.text.map { " with \($0)" } ?? ""
            throw ExpectationError(
                expected: "\(wants)\(of) within \(inSeconds(limit))",
                found: accepted.isEmpty && rejected.isEmpty ? "none" : Self.list(accepted + rejected, format))
        }
        return Self.list(accepted, format)
    }

    /// The first values in words.
    private static func list(_ values: [ObservedValue], _ format: ValueFormat?) -> String {
        let shown = values.prefix(8).map { $0.shown(in: format) }.joined(separator: "; ")
        return values.count > 8 ? "\(shown); and \(values.count - 8) more" : shown
    }
}

extension AdvertisementPattern {
    func matches(_ sighting: AdvertisementEvent) -> Bool {
        if let name, sighting.name?.lowercased() != name.lowercased() { return false }
        if let service, !sighting.services.contains(where: { CharacteristicSearch.isExactly($0, service) }) {
            return false
        }
        if let minimumRSSI, (sighting.rssi ?? -128) < minimumRSSI { return false }
        return true
    }
}
