import BLEWire
import SystemBus

/// What a program registered with RegisterApplication.
package struct ScriptedApplication: Sendable {
    package let owner: String
    package let path: String
    package let adapter: String
    /// The result of GetManagedObjects.
    package let objects: [String: [String: BusProperties]]

    /// The path of the first characteristic or descriptor with a UUID.
    package func attribute(_ uuid: String) -> String? {
        objects.keys.sorted().first { path in
            [ScriptedBlueZ.characteristic, ScriptedBlueZ.descriptor].contains {
                objects[path]?[$0]?["UUID"]?.text?.lowercased() == uuid.lowercased()
            }
        }
    }
}

/// What a program registered with RegisterAdvertisement.
package struct ScriptedAdvertisement: Sendable {
    package let owner: String
    package let path: String
    package let adapter: String
    package fileprivate(set) var properties: BusProperties
}

struct ScriptedPeripheral {
    var applications: [ScriptedApplication] = []
    var advertisements: [ScriptedAdvertisement] = []
    /// The signals of applications and advertisements, by owner and path.
    var subscriptions: [String: BusCancellable] = [:]
    /// The registrations that bluetoothd is reading, by owner and path.
    var registering: Set<String> = []
    var centrals: [String: ScriptedCentral] = [:]
}

/// org.bluez.GattManager1 and org.bluez.LEAdvertisingManager1.
extension ScriptedBlueZ {
    package var applications: [ScriptedApplication] { peripheral.applications }
    package var advertisements: [ScriptedAdvertisement] { peripheral.advertisements }

    func manager(_ call: BusCall, _ adapter: String) {
        let owner = call.message.sender ?? ""
        guard case .path(let path)? = call.message.body.first else { return fail(call, .invalidArguments) }
        switch call.message.member {
        case "RegisterApplication":
            guard !isRegistered("application", owner, path) else { return fail(call, .alreadyExists) }
            guard call.message.body.count > 1, call.message.body[1].properties != nil else {
                return fail(call, .invalidArguments)
            }
            registerApplication(call, adapter, owner, path)
        case "UnregisterApplication":
            guard peripheral.applications.contains(where: { $0.owner == owner && $0.path == path }) else {
                return fail(call, .doesNotExist)
            }
            forgetApplications { $0.owner == owner && $0.path == path }
            reply(call)
        case "RegisterAdvertisement":
            guard !isRegistered("advertisement", owner, path) else { return fail(call, .alreadyExists) }
            guard call.message.body.count > 1, call.message.body[1].properties != nil else {
                return fail(call, .invalidArguments)
            }
            registerAdvertisement(call, adapter, owner, path)
        default:
            guard peripheral.advertisements.contains(where: { $0.owner == owner && $0.path == path }) else {
                return fail(call, .doesNotExist)
            }
            forgetAdvertisements { $0.owner == owner && $0.path == path }
            reply(call)
        }
    }

    private func isRegistered(_ kind: String, _ owner: String, _ path: String) -> Bool {
        peripheral.registering.contains("\(kind) \(owner) \(path)")
            || (kind == "application"
                ? peripheral.applications.contains { $0.owner == owner && $0.path == path }
                : peripheral.advertisements.contains { $0.owner == owner && $0.path == path })
    }

    // MARK: Applications

    private func registerApplication(_ call: BusCall, _ adapter: String, _ owner: String, _ path: String) {
        let key = "application \(owner) \(path)"
        peripheral.registering.insert(key)
        bus?.call(owner, path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") { [weak self] result in
            guard let self, peripheral.registering.remove(key) != nil else { return }
            let objects = (try? result.get())?.body.first?.managedObjects ?? [:]
            guard !objects.isEmpty else { return fail(call, .failed("No object received")) }
            guard Self.isValid(objects) else { return fail(call, .failed("No valid service object found")) }
            peripheral.applications.append(
                ScriptedApplication(owner: owner, path: path, adapter: adapter, objects: objects))
            // The values that the application notifies.
            peripheral.subscriptions[key] = bus?.subscribe(
                BusMatch(sender: owner, interface: ScriptedObjects.properties, member: "PropertiesChanged"),
                completion: nil
            ) { [weak self] signal in self?.applicationChanged(signal) }
            reply(call)
        }
    }

    private static func isValid(_ objects: [String: [String: BusProperties]]) -> Bool {
        let services = objects.filter { $0.value[gattService] != nil }
        let isServiceValid = services.values.allSatisfy { interfaces in
            interfaces[gattService]?["UUID"]?.text != nil && interfaces[gattService]?["Primary"]?.flag != nil
        }
        let characteristics = objects.compactMap { $0.value[characteristic] }
        let isCharacteristicValid = characteristics.allSatisfy { properties in
            properties["UUID"]?.text != nil && properties["Flags"]?.elements != nil
                && properties["Service"]?.text.map { services[$0] != nil } == true
        }
        let isDescriptorValid = objects.compactMap { $0.value[descriptor] }.allSatisfy { properties in
            properties["UUID"]?.text != nil && properties["Flags"]?.elements != nil
                && properties["Characteristic"]?.text.map { objects[$0]?[characteristic] != nil } == true
        }
        return !services.isEmpty && isServiceValid && isCharacteristicValid && isDescriptorValid
    }

    private func applicationChanged(_ signal: BusMessage) {
        guard case .changed(let path, Self.characteristic, let properties, _)? = BusObjectChange(signal),
            let value = properties["Value"]?.bytes, let owner = signal.sender
        else { return }
        for central in peripheral.centrals.values.sorted(by: { $0.path < $1.path }) {
            central.received(owner, path, value)
        }
    }

    private func forgetApplications(_ isForgotten: (ScriptedApplication) -> Bool) {
        for application in peripheral.applications where isForgotten(application) {
            peripheral.subscriptions.removeValue(forKey: "application \(application.owner) \(application.path)")?
                .cancel()
        }
        peripheral.applications.removeAll(where: isForgotten)
    }

    // MARK: Advertisements

    private func registerAdvertisement(_ call: BusCall, _ adapter: String, _ owner: String, _ path: String) {
        let supported = property(adapter, Self.advertisingManager, "SupportedInstances")?.number ?? 0
        guard peripheral.advertisements.filter({ $0.adapter == adapter }).count < supported else {
            return fail(call, .notPermitted("Maximum advertisements reached"))
        }
        let key = "advertisement \(owner) \(path)"
        peripheral.registering.insert(key)
        bus?.call(owner, path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") { [weak self] result in
            let objects = (try? result.get())?.body.first?.managedObjects
            if let properties = objects?[path]?[Self.advertisement] {
                self?.addAdvertisement(call, adapter, owner, path, properties)
                return
            }
            self?.bus?.call(owner, path, ScriptedObjects.properties, "GetAll", [.string(Self.advertisement)]) {
                result in
                self?.addAdvertisement(call, adapter, owner, path, (try? result.get())?.body.first?.properties ?? [:])
            }
        }
    }

    private func addAdvertisement(
        _ call: BusCall, _ adapter: String, _ owner: String, _ path: String, _ properties: BusProperties
    ) {
        let key = "advertisement \(owner) \(path)"
        guard peripheral.registering.remove(key) != nil else { return }
        guard ["peripheral", "broadcast"].contains(properties["Type"]?.text) else {
            return fail(call, .failed("Failed to parse advertisement."))
        }
        peripheral.advertisements.append(
            ScriptedAdvertisement(owner: owner, path: path, adapter: adapter, properties: properties))
        peripheral.subscriptions[key] = bus?.subscribe(
            BusMatch(sender: owner, path: path, interface: ScriptedObjects.properties, member: "PropertiesChanged"),
            completion: nil
        ) { [weak self] signal in self?.advertisementChanged(owner, signal) }
        updateInstances(adapter)
        reply(call)
    }

    private func advertisementChanged(_ owner: String, _ signal: BusMessage) {
        guard case .changed(let path, Self.advertisement, let properties, let invalidated)? = BusObjectChange(signal),
            let index = peripheral.advertisements.firstIndex(where: { $0.owner == owner && $0.path == path })
        else { return }
        peripheral.advertisements[index].properties.merge(properties) { $1 }
        for name in invalidated { peripheral.advertisements[index].properties[name] = nil }
    }

    private func updateInstances(_ adapter: String) {
        let count = peripheral.advertisements.filter { $0.adapter == adapter }.count
        let supported = property(adapter, Self.advertisingManager, "SupportedInstances")?.number ?? 0
        set(
            adapter, Self.advertisingManager,
            [
                "ActiveInstances": .byte(UInt8(clamping: count)),
                "SupportedInstances": .byte(UInt8(clamping: Int(clamping: supported))),
            ])
    }

    private func forgetAdvertisements(_ isForgotten: (ScriptedAdvertisement) -> Bool) {
        for each in peripheral.advertisements where isForgotten(each) {
            peripheral.subscriptions.removeValue(forKey: "advertisement \(each.owner) \(each.path)")?.cancel()
        }
        let adapters = Set(peripheral.advertisements.filter(isForgotten).map(\.adapter))
        peripheral.advertisements.removeAll(where: isForgotten)
        for adapter in adapters.sorted() { updateInstances(adapter) }
    }

    /// bluetoothd ends all advertisements and tells their owners.
    package func releaseAdvertisements() {
        for each in peripheral.advertisements {
            emit(.call(each.owner, each.path, Self.advertisement, "Release"))
        }
        forgetAdvertisements { _ in true }
    }

    func forgetRegistrations(of owner: String) {
        forgetApplications { $0.owner == owner }
        forgetAdvertisements { $0.owner == owner }
        peripheral.registering = peripheral.registering.filter { !$0.contains(" \(owner) ") }
    }

    func forgetRegistrations(at adapter: String) {
        peripheral.registering = []
        forgetApplications { $0.adapter == adapter }
        forgetAdvertisements { $0.adapter == adapter }
    }
}
