import BLERuntime
import BLETransport
import BLEVirtualRadio
import Testing
import WorldFiles

@testable import bluelab

/// What `scan` says without a usable controller.
@Suite struct ControllerAdviceTests {
    private static let nothing = ControllerChoice(nil, system: SystemBluetooth(root: "/no machine"))
    private let failure = ToolError(.noAdapter, "no controller was chosen.", "Try: bluelab doctor")

    private func facts(_ choice: ControllerChoice, radios: [(String?, failure: String?)] = []) throws -> MachineFacts {
        var facts = MachineFacts(selection: nil, choice: choice)
        facts.radios = try radios.map { name, failure in
            MachineFacts.Radio(endpoint: try SharedRadioEndpoint(name: name), failure: failure)
        }
        return facts
    }

    @Test func theFindingOfDoctorReplacesTheSentence() throws {
        let facts = try facts(Self.nothing)
        let advised = ControllerAdvice.completing(failure, facts)
        let finding = try #require(Diagnosis(facts: facts).findings.first { $0.state == .problem && $0.fix != nil })
        #expect(advised.kind == .noAdapter && advised.lines == [finding.text, "Try: \(finding.fix ?? "")"])
    }

    @Test func aRunningRadioIsOffered() throws {
        let facts = try facts(Self.nothing, radios: [("broken", failure: "it is gone"), ("lab", failure: nil)])
        let advised = ControllerAdvice.completing(failure, facts)
        #expect(advised.lines.count == 2)
        #expect(advised.lines.last == "Try: bluelab scan --controller radio:lab")
        let standard = ControllerAdvice.completing(failure, try self.facts(Self.nothing, radios: [(nil, failure: nil)]))
        #expect(standard.lines.last == "Try: bluelab scan --controller radio")
    }

    @Test func aNewRadioHasDevices() throws {
        let advised = ControllerAdvice.completing(failure, try facts(Self.nothing))
        #expect(
            advised.lines.last == "Try: bluelab radio --world readme & BLUETOOTH_CONTROLLER=radio bluelab scan")
        let world = try #require(try WorldChoice.shipped("readme"))
        #expect(try WorldFile(text: world, file: "readme").devices.count == 4)
    }

    @Test func aSelectedControllerKeepsItsSentence() throws {
        let selected = try facts(.adapter(9), radios: [(nil, failure: nil)])
        #expect(
            ControllerAdvice.completing(failure, selected).lines == failure.lines + [
                "A virtual radio runs: bluelab scan --controller radio"
            ])
        // Who has selected a radio knows of it.
        let radio = try facts(.radio(try SharedRadioEndpoint(name: nil)), radios: [(nil, failure: nil)])
        #expect(ControllerAdvice.completing(failure, radio) == failure)
    }
}
