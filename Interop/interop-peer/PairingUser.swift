import BluetoothPairing
import CoreBluetooth

/// The user of this device in one case.
@MainActor final class PairingUser: @preconcurrency PairingAgent {
    nonisolated let capability: PairingCapability
    private let plan: PairingCase
    private let ended: (Result<PairingSecurity, PairingError>) -> Void

    init(_ plan: PairingCase, ended: @escaping (Result<PairingSecurity, PairingError>) -> Void) {
        self.plan = plan
        self.ended = ended
        capability = PairingCapability.allCases.first { "\($0)" == plan.capability } ?? .noInputNoOutput
    }

    func handle(_ prompt: PairingPrompt) {
        switch prompt {
        case .accept(let request): plan.consents ? request.accept() : request.refuse()
        case .display(let passkey): PairingFiles.share(passkey.digits, as: PairingFiles.own(plan.number))
        case .enter(let entry):
            if let digits = plan.digits {
                entry.enter(digits)
            } else {
                PairingFiles.await(PairingFiles.others(plan.number)) { entry.enter($0) }
            }
        case .compare(let comparison):
            PairingFiles.share(comparison.digits, as: PairingFiles.own(plan.number))
            guard plan.confirms else { return comparison.confirm(false) }
            PairingFiles.await(PairingFiles.others(plan.number)) { comparison.confirm($0 == comparison.digits) }
        }
    }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) { ended(result) }
}
