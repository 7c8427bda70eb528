internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

extension CBPeripheralManager {
    /// Publishes a service like ``add(_:)``, but throws an error where that method ends the program: for a service that was added
    /// before, and for a static value that is not read-only. Linux only.
    ///
    /// - Parameter service: The service.
    /// - Throws: `CBError.invalidParameters` with the reason in its text. No didAdd follows.
    public func add(validating service: CBMutableService) throws {
        do throws(ServiceBlueprint.DefinitionError) {
            try publish(service)
        } catch {
            if case .exception(let sentence) = error { throw CBError(describing: .invalidParameters, sentence) }
        }
    }

    /// Passes a service to the adapter. If didAdd can report a refusal, this method delivers it and throws it as well.
    func publish(_ service: CBMutableService) throws(ServiceBlueprint.DefinitionError) {
        guard let session = core.sessionForCommand(description) else { return }
        let blueprint: ServiceBlueprint
        do throws(ServiceBlueprint.DefinitionError) {
            blueprint = try ServiceBlueprint(service) { other in
                core.guarded.withLock { $0.tokens[ObjectIdentifier(other)] }
            }
        } catch {
            if case .error(let code) = error {
                core.dispatcher.post { [core] in
                    guard let manager = core.manager else { return }
                    core.delegate?.peripheralManager(manager, didAdd: service, error: CBError(describing: code))
                }
            }
            throw error
        }
        let token = core.publish(service, included: blueprint.definition.includedServices)
        core.restorer?.published(blueprint.definition, token: token)
        session.add(blueprint.definition, token: token)
    }
}
