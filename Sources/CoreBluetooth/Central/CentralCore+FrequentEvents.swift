internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// Discoveries, values and results, on the delegate's queue.
extension CentralCore: FrequentEventReceiver {
    func deliver(_ discovery: Discovery) {
        let (manager, delegate, scan, kept) = guarded.withLock { state in
            (state.manager, state.delegate, state.scan, state.peripherals.kept(discovery))
        }
        // Drops discoveries of a scan that has ended or changed since.
        guard let manager, let delegate, let scan, scan.wants(discovery) else { return }
        if let kept {
            kept.peripheral.advertised(discovery.peer.name, services: [])
            return delegate.centralManager(
                manager, didDiscover: kept.peripheral, advertisementData: kept.advertisement,
                rssi: DecibelNumbers[discovery.rssi])
        }
        let advertisement = AdvertisementDictionary(discovery)
        let peripheral = peripheral(for: discovery, advertisement)
        delegate.centralManager(
            manager, didDiscover: peripheral, advertisementData: advertisement.dictionary,
            rssi: DecibelNumbers[discovery.rssi])
    }

    /// The object for an advertiser, which the manager keeps for a while if the scan reports every packet.
    private func peripheral(for discovery: Discovery, _ advertisement: AdvertisementDictionary) -> CBPeripheral {
        let (peripheral, isNew, former, isKept) = guarded.withLock { state in
            let isKept = state.scan?.allowDuplicates == true
            let found = state.peripherals.object(for: discovery, keeping: isKept ? advertisement.dictionary : nil) {
                CBPeripheral(owner: self, record: discovery.peer, advertisedServices: advertisement.services)
            }
            return (found.object, found.isNew, found.former, isKept)
        }
        withExtendedLifetime(former) {}
        if !isNew {
            peripheral.advertised(discovery.peer.name, services: advertisement.services)
            // The release of an object in use must end its connection. A request that follows drops the object itself.
            if isKept, peripheral.isInUse {
                let kept = guarded.withLock { $0.peripherals.drop(peripheral.peer) }
                withExtendedLifetime(kept) {}
            }
        }
        return peripheral
    }

    func deliver(_ result: Result<GATTResult, GATTFailure>, of operation: GATTOperation, on peer: PeerIdentifier) {
        managedPeripheral(peer)?.complete(operation, result)
    }

    func deliver(_ value: WaitingValue, handle: UInt16, from peer: PeerIdentifier) {
        managedPeripheral(peer)?.receive(value, handle: handle)
    }

    func deliver(_ value: WaitingValue, readFrom handle: UInt16, on peer: PeerIdentifier) {
        managedPeripheral(peer)?.completeRead(value, handle: handle)
    }
}

extension ScanRequest {
    fileprivate func wants(_ discovery: Discovery) -> Bool {
        if services.isEmpty { return true }
        let data = discovery.data.span
        let scanResponse = discovery.scanResponse.span
        return services.contains { AD.contains(service: $0, in: data) || AD.contains(service: $0, in: scanResponse) }
            || solicitedServices.contains {
                AD.solicits(service: $0, in: data) || AD.solicits(service: $0, in: scanResponse)
            }
    }
}

/// A number object for each signal strength.
private enum DecibelNumbers {
    private static let numbers = (Int(Int8.min)...Int(Int8.max)).map { NSNumber(value: $0) }

    static subscript(strength: Int8) -> NSNumber { numbers[Int(strength) - Int(Int8.min)] }
}
