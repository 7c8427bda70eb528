import DeviceFiles
import BLEValues
import CoreBluetooth
import Phrases

// The discovery of attributes. The callbacks of CBPeripheralDelegate are in Explorer+Peripheral.
extension Explorer {
    /// Begins a discovery that the user asked for, unless one runs.
    func discover(_ index: Int) {
        guard devices[index].discovery.current == nil else { return }
        beginDiscovery(index)
    }

    private func beginDiscovery(_ index: Int) {
        devices[index].discovery.begin()
        writer.call(
            "discover-services", Phrase("Discover all services", "发现所有服务"), swift: "peripheral.discoverServices(nil)",
            devices[index].identifier)
        devices[index].peripheral.discoverServices(nil)
    }

    /// Begins the discoveries that are due.
    func beginDueDiscoveries(at now: Int64) {
        for index in devices.indices {
            guard let due = devices[index].discovery.due, due <= now else { continue }
            let changes = devices[index].discovery.changes
            if changes > 1 {
                writer.note(
                    "services-changed-often",
                    Phrase("The device changed its services \(changes) times", "设备改变了 \(changes) 次服务"),
                    devices[index].identifier)
            }
            beginDiscovery(index)
        }
    }

    // MARK: Results

    func discovered(_ services: [CBService], of index: Int) {
        guard devices[index].discovery.takesServices() else { return }
        let kept = devices[index].setServices(services)
        writer.callback(
            "services", Phrase("The device has \(kept.count) services", "设备有 \(kept.count) 个服务"),
            swift: "peripheral(_:didDiscoverServices:)", devices[index].identifier)
        devices[index].discovery.add(kept.map { .characteristics($0) })
        continueDiscovery(index)
    }

    func discovered(_ service: CBService, of index: Int) {
        guard devices[index].discovery.awaits(.characteristics(service)) else { return }
        let kept = devices[index].setCharacteristics(of: service)
        let name = service.uuid.description
        writer.callback(
            "characteristics", Phrase("\(name) has \(kept.count) characteristics", "\(name) 有 \(kept.count) 个特征"),
            swift: "peripheral(_:didDiscoverCharacteristicsFor:error:)", devices[index].identifier)
        devices[index].discovery.add(kept.map { .descriptors($0) })
        continueDiscovery(index)
    }

    func discovered(_ characteristic: CBCharacteristic, of index: Int) {
        guard devices[index].discovery.awaits(.descriptors(characteristic)) else { return }
        let kept = devices[index].setDescriptors(of: characteristic)
        let name = characteristic.uuid.description
        writer.callback(
            "descriptors", Phrase("\(name) has \(kept.count) descriptors", "\(name) 有 \(kept.count) 个描述符"),
            swift: "peripheral(_:didDiscoverDescriptorsFor:error:)", devices[index].identifier)
        devices[index].discovery.add(kept.filter(\.describesCharacteristic).map { .value($0) })
        continueDiscovery(index)
    }

    /// A request of the discovery failed. The others go on, except without services.
    func discoveryFailed(_ request: AttributeDiscovery.Request, _ error: any Error, _ method: String, _ index: Int) {
        let isAwaited =
            request == .services
            ? devices[index].discovery.takesServices() : devices[index].discovery.awaits(request)
        guard isAwaited else { return }
        writer.failure(
            "discovery-failed", Phrase("The discovery failed", "发现失败"), error, swift: method, devices[index].identifier)
        if request == .services {
            devices[index].discovery.fail()
            touch()
        } else {
            continueDiscovery(index)
        }
    }

    /// Makes the next request.
    func continueDiscovery(_ index: Int) {
        let (peripheral, device) = (devices[index].peripheral, devices[index].identifier)
        switch devices[index].discovery.next() {
        case .services: beginDiscovery(index)
        case .characteristics(let service):
            let name = service.uuid.description
            writer.call(
                "discover-characteristics", Phrase("Discover the characteristics of \(name)", "发现 \(name) 的特征"),
                swift: "peripheral.discoverCharacteristics(nil, for: service)", device)
            peripheral.discoverCharacteristics(nil, for: service)
        case .descriptors(let characteristic):
            let name = characteristic.uuid.description
            writer.call(
                "discover-descriptors", Phrase("Discover the descriptors of \(name)", "发现 \(name) 的描述符"),
                swift: "peripheral.discoverDescriptors(for: characteristic)", device)
            peripheral.discoverDescriptors(for: characteristic)
        case .value(let descriptor): read(descriptor, index)
        case nil:
            devices[index].recording.add(.action(.discover))
            writer.note("discovery-complete", Phrase("The discovery is complete", "发现完成"), device)
        }
    }
}
