// Only CoreBluetooth: what is used here of Foundation, Dispatch and CoreFoundation comes with it, as on Apple's systems.
import CoreBluetooth
import Testing

/// The rules that hold for the module as a whole.
@Suite struct ModuleRulesTests {
    @Test func theModuleReexportsFoundationDispatchAndCoreFoundation() {
        let queue: dispatch_queue_t = DispatchQueue(label: "queue")
        let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        let identifier: CFUUID = CFUUIDCreate(nil)
        let stamp: Date = Date(timeIntervalSinceReferenceDate: time)
        #expect(queue.label == "queue" && abs(stamp.timeIntervalSinceNow) < 60)
        #expect(CBUUID(cfuuid: identifier).data.count == 16)
    }

    @Test func timeUnitConstantsAreAvailable() {
        let units: [UInt64] = [NSEC_PER_SEC, NSEC_PER_MSEC, USEC_PER_SEC, NSEC_PER_USEC]
        #expect(units == [1_000_000_000, 1_000_000, 1_000_000, 1000])
        #expect(NSEC_PER_USEC * USEC_PER_SEC == NSEC_PER_SEC)
    }

    /// Rule 3: a method that a class does not have does nothing, and one that its superclass lacks cannot be added in a
    /// subclass without stating the conformance there.
    @Test func optionalMethodsAreRequirementsWithDefaultBodies() throws {
        let objects = try ManifestObjects()
        let bare: any CBCentralManagerDelegate = BareCBCentralManagerDelegate()
        bare.centralManager(objects.central.manager, didConnect: objects.device)
    }

    /// Rule 4.
    @Test func theLongFormOfDidDisconnectForwardsToTheShortOne() throws {
        final class Short: NSObject, CBCentralManagerDelegate {
            var errors: [(any Error)?] = []
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) { errors.append(error) }
        }
        let objects = try ManifestObjects()
        let short = Short()
        (short as any CBCentralManagerDelegate).centralManager(
            objects.central.manager, didDisconnectPeripheral: objects.device, timestamp: 0, isReconnecting: false,
            error: CBError(.connectionTimeout))
        #expect(short.errors.count == 1 && (short.errors[0] as? CBError)?.code == .connectionTimeout)
    }

    /// Rule 5: a `switch` over an open enumeration needs an unknown default.
    @Test func switchesWithAnUnknownDefaultCompile() {
        func text(_ state: CBManagerState) -> String {
            switch state {
            case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: "not yet"
            case .poweredOn: "on"
            @unknown default: "new"
            }
        }
        #expect(text(.poweredOn) == "on" && text(CBManagerState(rawValue: 99)!) == "new")
    }

    /// Rule 8: classes are open and so are their methods; the designated initialisers are those of the headers.
    @Test func openClassesCanBeSubclassed() {
        withFakeAdapter {
            let manager = OpenCentralManager(delegate: nil, queue: DispatchQueue(label: "open"), options: nil)
            manager.stopScan()
            #expect(manager.calls == 1 && manager.isScanning)
            #expect(OpenPeripheralManager(delegate: nil, queue: nil, options: nil).isAdvertising)
        }
        #expect(OpenService(type: CBUUID(string: "FEE7"), primary: true).isPrimary)
        let characteristic = OpenCharacteristic(
            type: CBUUID(string: "AA01"), properties: .read, value: nil, permissions: .readable)
        #expect(characteristic.isNotifying)
        #expect(OpenDescriptor(type: CBUUID(string: "2908"), value: nil).value as? String == "mine")
    }

    /// Rule 11: both ways in which Swift 6 programs make a class of the main actor a delegate.
    @MainActor @Test func mainActorClassesCanBeDelegates() {
        #expect(NonisolatedDelegate().state == nil && PreconcurrencyDelegate().state == nil)
    }
}

// MARK: - Programs' own classes

/// Only what has to be there.
final class BareCBCentralManagerDelegate: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

final class BareCBPeripheralDelegate: NSObject, CBPeripheralDelegate {}

final class BareCBPeripheralManagerDelegate: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

private final class OpenCentralManager: CBCentralManager {
    var calls = 0
    override func stopScan() { calls += 1 }
    override var isScanning: Bool { true }
}

private final class OpenPeripheralManager: CBPeripheralManager {
    override var isAdvertising: Bool { true }
}

private final class OpenService: CBMutableService {}

private final class OpenCharacteristic: CBMutableCharacteristic {
    override var isNotifying: Bool { true }
}

private final class OpenDescriptor: CBMutableDescriptor {
    override var value: Any? { "mine" }
}

/// Subclasses that compile, although their initialisers are not public.
private class OpenPeripheral: CBPeripheral {
    override func readRSSI() {}
    override var services: [CBService]? { nil }
}

private class OpenCentral: CBCentral {}

private class OpenRequest: CBATTRequest {}

private class OpenChannel: CBL2CAPChannel {}

@MainActor private final class NonisolatedDelegate: NSObject, CBCentralManagerDelegate {
    var state: CBManagerState?
    nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state
        Task { @MainActor in self.state = state }
    }
}

@MainActor private final class PreconcurrencyDelegate: NSObject, @preconcurrency CBCentralManagerDelegate {
    var state: CBManagerState?
    func centralManagerDidUpdateState(_ central: CBCentralManager) { state = central.state }
}

// MARK: - Rule 7: conformances that programs add must not be there already; a second one would not compile.

extension CBManagerState: @retroactive CustomStringConvertible {
    /// Mine.
    public var description: String { "state \(rawValue)" }
}
extension CBManagerAuthorization: @retroactive CustomStringConvertible {
    /// Mine.
    public var description: String { "authorization \(rawValue)" }
}
extension CBCharacteristicWriteType: @retroactive CustomStringConvertible {
    /// Mine.
    public var description: String { "write type \(rawValue)" }
}
extension CBAttributePermissions: @retroactive Hashable {}
extension CBCentralManager.Feature: @retroactive Hashable {}
extension CBService: Identifiable {}
