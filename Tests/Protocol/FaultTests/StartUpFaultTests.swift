import BLEHost
import BLEWire
import FaultBench
import Testing

/// Each command of the start-up, each way to get its answer wrong.
struct StartUpFaultTests {
    struct Step: Sendable, CustomTestStringConvertible {
        var opcode: HCI.Opcode
        /// The host cannot do without it.
        var isMandatory: Bool
        /// Its answer says more than a status.
        var hasParameters: Bool
        var testDescription: String { "\(opcode)" }
    }

    static let steps: [Step] = [
        Step(opcode: .reset, isMandatory: true, hasParameters: false),
        Step(opcode: .readLocalVersionInformation, isMandatory: false, hasParameters: true),
        Step(opcode: .readLocalSupportedCommands, isMandatory: false, hasParameters: true),
        Step(opcode: .readLocalSupportedFeatures, isMandatory: false, hasParameters: true),
        Step(opcode: .setEventMask, isMandatory: true, hasParameters: false),
        Step(opcode: .leReadLocalSupportedFeatures, isMandatory: true, hasParameters: true),
        Step(opcode: .leSetEventMask, isMandatory: true, hasParameters: false),
        Step(opcode: .leReadMaximumAdvertisingDataLength, isMandatory: false, hasParameters: true),
        Step(opcode: .leReadNumberOfSupportedAdvertisingSets, isMandatory: false, hasParameters: true),
        Step(opcode: .leClearAdvertisingSets, isMandatory: false, hasParameters: false),
        Step(opcode: .leSetExtendedScanParameters, isMandatory: false, hasParameters: false),
        Step(opcode: .leSetExtendedScanEnable, isMandatory: false, hasParameters: false),
        Step(opcode: .leReadPeriodicAdvertiserListSize, isMandatory: false, hasParameters: true),
        Step(opcode: .leReadBufferSize, isMandatory: true, hasParameters: true),
        Step(opcode: .leReadSupportedStates, isMandatory: false, hasParameters: true),
        Step(opcode: .leReadFilterAcceptListSize, isMandatory: false, hasParameters: true),
        Step(opcode: .leClearFilterAcceptList, isMandatory: false, hasParameters: false),
        Step(opcode: .readBDADDR, isMandatory: false, hasParameters: true),
        Step(opcode: .leSetRandomAddress, isMandatory: true, hasParameters: false),
        Step(opcode: .leReadMaximumDataLength, isMandatory: false, hasParameters: true),
        Step(opcode: .leWriteSuggestedDefaultDataLength, isMandatory: false, hasParameters: false),
        Step(opcode: .leSetDefaultPHY, isMandatory: false, hasParameters: false),
    ]

    private func start(_ step: Step, _ how: Misbehaviour, times: Int?) -> FaultBench {
        let bench = FaultBench(seed: 1)
        bench.central.startsAgain = false
        bench.central.misbehaviour = (how, .answer(step.opcode), times)
        bench.central.host.start(at: bench.now)
        bench.run(.seconds(120))
        return bench
    }

    /// Why the host gives up if the controller always does so; nil: it does not.
    private func failure(_ step: Step, _ how: Misbehaviour) -> HostError? {
        guard step.isMandatory else { return nil }
        return switch how {
        case .tooShort, .empty: .malformedAnswer(step.opcode)
        case .refused: .commandFailed(step.opcode, .unspecifiedError)
        case .aboutSomethingElse, .never: .noAnswer(step.opcode)
        // Of Reset, an answer that comes after the deadline comes in time for the next attempt.
        case .late: step.opcode == .reset ? nil : .noAnswer(step.opcode)
        case .tooLong, .twice: nil
        }
    }

    @Test(arguments: steps, Misbehaviour.allCases) func aControllerWithAPermanentErrorIsHandled(
        step: Step, how: Misbehaviour
    ) {
        let bench = start(step, how, times: nil)
        let central = bench.central
        #expect(bench.problems.isEmpty)
        #expect(central.misbehaved > 0)
        if let failure = failure(step, how) {
            // Tried three times, and then one reason.
            #expect(central.states == [.starting, .failed(failure)])
            #expect(central.misbehaved == 3)
            #expect(central.host.nextTimeout == nil)
        } else {
            #expect(central.states == [.starting, .ready])
        }
    }

    @Test(arguments: steps, Misbehaviour.allCases) func aControllerWithOneErrorIsHandled(step: Step, how: Misbehaviour)
    {
        let bench = start(step, how, times: 1)
        let central = bench.central
        #expect(central.misbehaved == 1)
        #expect(central.states == [.starting, .ready])
        central.misbehaviour = nil
        bench.peripheral.host.start(at: bench.now)
        #expect(bench.freshLink(attempts: 1))
        bench.rest()
        #expect(bench.problems.isEmpty)
    }
}
