import BluetoothPairing
import CoreBluetooth
import Foundation
import Phrases

/// A lock that opens for paired devices only. Its display decides the kind of the pairing: a lock with a display alone shows a passkey, and one
/// with two keys as well compares numbers (Vol 3, Part H, 2.3.5.1).
final class LockProgram: NSObject, WorldProgram, CBPeripheralManagerDelegate {
    static var service: CBUUID { CBUUID(string: "5B1D0010-6F2E-4C0A-9B6A-2F1C0E4D7A10") }
    /// One octet: 1 is locked. Read and written on an encrypted link.
    static var bolt: CBUUID { CBUUID(string: "5B1D0011-6F2E-4C0A-9B6A-2F1C0E4D7A10") }

    private let context: WorldProgramContext
    private let agent: LockAgent
    private var manager: CBPeripheralManager!
    private var pairings: PairingManager!
    private var isLocked = true

    init(_ context: WorldProgramContext, _ capability: PairingCapability) {
        self.context = context
        agent = LockAgent(capability, context.report)
    }

    func start() {
        pairings = PairingManager(queue: context.queue)
        pairings.setAgent(agent)
        manager = CBPeripheralManager(delegate: self, queue: context.queue)
    }

    func stop() { manager.stopAdvertising() }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let bolt = CBMutableCharacteristic(
            type: Self.bolt, properties: [.read, .write], value: nil,
            permissions: [.readEncryptionRequired, .writeEncryptionRequired])
        bolt.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Bolt")
        ]
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [bolt]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: context.name])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([isLocked ? 1 : 0])
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let value = requests[0].value, requests.count == 1, value.count == 1, let octet = value.first, octet < 2
        else { return peripheral.respond(to: requests[0], withResult: .invalidAttributeValueLength) }
        isLocked = octet == 1
        context.report(
            ProgramEvent(
                .note,
                isLocked ? Phrase("The lock is locked.", "锁已锁上。") : Phrase("The lock is open.", "锁已打开。")))
        peripheral.respond(to: requests[0], withResult: .success)
    }
}

/// The display and the user of a lock, who accepts every pairing.
///
/// `@unchecked Sendable`: the lock's pairing manager calls it on the world's queue, where `report` runs too.
private final class LockAgent: PairingAgent, @unchecked Sendable {
    let capability: PairingCapability
    /// Called on the world's queue.
    private let report: (ProgramEvent) -> Void

    init(_ capability: PairingCapability, _ report: @escaping (ProgramEvent) -> Void) {
        self.capability = capability
        self.report = report
    }

    func handle(_ prompt: PairingPrompt) {
        switch prompt {
        case .accept(let request): request.accept()
        case .display(let display):
            report(
                ProgramEvent(
                    .note, Phrase("The display shows \(display.digits).", "显示屏显示 \(display.digits)。")))
        case .compare(let comparison):
            report(
                ProgramEvent(
                    .note,
                    Phrase(
                        "The display shows \(comparison.digits), and the key for yes is pressed.",
                        "显示屏显示 \(comparison.digits)，并且已按下确认键。")))
            comparison.confirm(true)
        case .enter(let entry): entry.cancel()
        }
    }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        switch result {
        case .success: report(ProgramEvent(.note, Phrase("The pairing is complete.", "配对已完成。")))
        case .failure: report(ProgramEvent(.error, Phrase("The pairing failed.", "配对失败。")))
        }
    }
}

extension WorldProgramKind {
    static let lock = WorldProgramKind("lock", kind: .other, defaultName: "Lock") { LockProgram($0, .displayOnly) }

    static let lockWithKeys = WorldProgramKind("lock-with-keys", kind: .other, defaultName: "Lock with keys") {
        LockProgram($0, .displayYesNo)
    }
}
