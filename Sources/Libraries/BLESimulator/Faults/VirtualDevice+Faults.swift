import BLEHostAdapter
import BLEVirtualRadio

extension VirtualDevice {
    /// Gives the device a fault from now on.
    ///
    /// - Returns: What the fault does, line by line.
    @discardableResult
    public func inject(_ fault: Fault) -> FaultReport {
        let report = FaultReport()
        inject(fault, report)
        return report
    }

    /// - Parameter isAnnounced: Whether the report begins with the fault.
    package func inject(_ fault: Fault, _ report: FaultReport, isAnnounced: Bool = true) {
        let (slot, adapter, name) = (host.slot, adapter, name)
        radio.change { network in
            let present = network.line(of: slot).flatMap { $0.filter is FaultLine ? $0 : nil }
            guard let line = present ?? network.setFilter(FaultLine(adapter, name: name), of: slot),
                let faults = line.filter as? FaultLine
            else { return }
            faults.add(fault, report, isAnnounced: isAnnounced, on: line)
        }
    }

    /// Ends the faults of the device. Bonds that it has forgotten, and an ATT_MTU that it has reduced, stay; see ``setMaximumTransmissionUnit(_:)``.
    public func removeFaults() {
        let slot = host.slot
        radio.change { network in
            guard let line = network.line(of: slot), let faults = line.filter as? FaultLine else { return }
            faults.removeAll(line)
            network.flushHost(slot)
        }
    }
}
