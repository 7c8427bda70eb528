internal import BLERuntime
internal import BLEWire
internal import DequeModule
import BLEAdapter
import Foundation

// Discoveries, values and results, on the delegate's queue.
extension CentralHandle: FrequentEventReceiver {
    func deliver(_ discoveries: inout Deque<Discovery>) {
        while !discoveries.isEmpty {
            guard var manager = manager() else { return discoveries.removeAll() }
            while let discovery = discoveries.popFirst() {
                deliver(discovery, of: manager)
                // A manager that the program has released ends here, before the next callback.
                if manager.isReleased() { break }
            }
        }
    }

    private func manager() -> RetainedManager? { RetainedManager(core.manager) }

    private func deliver(_ discovery: Discovery, of manager: borrowing RetainedManager) {
        let (delegate, report) = core.guarded.withLock { state -> ((any CBCentralManagerDelegate)?, Report) in
            // Drops discoveries of a scan that has ended or changed since.
            guard let delegate = state.delegate, let isKept = state.keepsAdvertisers(selecting: discovery) else {
                return (nil, .new)
            }
            if isKept, let known = state.peripherals.kept(discovery.content) {
                return (delegate, .known(known.peripheral, known.advertisement, isSame: known.isSame))
            }
            return (delegate, .new)
        }
        guard let delegate else { return }
        let rssi = DecibelNumbers[discovery.rssi]
        switch report {
        case .known(let peripheral, let advertisement, let isSame):
            if !isSame { peripheral.advertised(discovery.content.name, services: []) }
            manager.discovered(peripheral, advertisement, rssi: rssi, delegate)
        case .new:
            let advertisement = AdvertisementDictionary(discovery.content)
            let peripheral = peripheral(for: discovery.content, advertisement)
            manager.discovered(peripheral, advertisement.dictionary, rssi: rssi, delegate)
        }
    }

    /// The object for an advertiser, which the manager keeps for a while if the scan reports every packet.
    private func peripheral(for content: DiscoveryContent, _ advertisement: AdvertisementDictionary) -> CBPeripheral {
        let (peripheral, isNew, former, isKept) = core.guarded.withLock { state in
            let isKept = state.scan?.allowDuplicates == true
            let found = state.peripherals.object(
                for: content, keeping: isKept ? advertisement.dictionary : nil
            ) {
                CBPeripheral(owner: self, content, name: advertisement.name, services: advertisement.services)
            }
            return (found.object, found.isNew, found.former, isKept)
        }
        withExtendedLifetime(former) {}
        if !isNew {
            peripheral.advertised(advertisement.name, services: advertisement.services)
            // The release of an object in use must end its connection. A request that follows drops the object itself.
            if isKept, peripheral.isInUse {
                let kept = core.guarded.withLock { $0.peripherals.drop(content.identity) }
                withExtendedLifetime(kept) {}
            }
        }
        return peripheral
    }

    func deliver(_ values: inout ValueRun) {
        while !values.isEmpty {
            let first = values.first
            guard var target = target(first.peer, first.handle) else {
                core.managedPeripheral(first.peer)?.receive(values.firstOctets, handle: first.handle)
                values.removeFirst()
                continue
            }
            repeat {
                guard target.receive(values.firstOctets) else { break }
                values.removeFirst()
            } while target.isCurrent() && values.isNext(first.peer, first.handle)
        }
    }

    private func target(_ peer: PeerIdentifier, _ handle: UInt16) -> ValueUpdateDelivery? {
        guard let peripheral = core.managedPeripheral(peer) else { return nil }
        return ValueUpdateDelivery(peripheral, handle: handle)
    }

    func deliver(_ value: WaitingValue, readFrom handle: UInt16, on peer: PeerIdentifier) {
        core.managedPeripheral(peer)?.completeRead(value, handle: handle)
    }

    func deliver(_ result: Result<GATTResult, GATTError>, of operation: GATTOperation, on peer: PeerIdentifier) {
        core.managedPeripheral(peer)?.complete(operation, result)
    }
}

/// What a report is for the delegate.
private enum Report {
    case known(CBPeripheral, [String: Any], isSame: Bool)
    case new
}

extension CentralManagerState {
    /// Whether the scan keeps advertisers; nil if it does not select the device.
    fileprivate func keepsAdvertisers(selecting discovery: Discovery) -> Bool? {
        guard let scan, discovery.content.isSelected(by: scan) else { return nil }
        return scan.allowDuplicates
    }
}

/// A number object for each signal strength.
private enum DecibelNumbers {
    private static let numbers = (Int(Int8.min)...Int(Int8.max)).map { NSNumber(value: $0) }

    static subscript(strength: Int8) -> NSNumber { numbers[Int(strength) - Int(Int8.min)] }
}
