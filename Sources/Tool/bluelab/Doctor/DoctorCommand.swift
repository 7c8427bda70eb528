import ArgumentParser
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether programs can use the selected controller, and say what to do if not.",
        discussion: """
              bluelab doctor
              bluelab doctor --controller bluez --json

            Says which way to the radio fits this machine: bluez (an adapter of bluetoothd, without rights and beside other programs), \
            hci0 (an adapter that the program takes from the kernel, which needs rights), or none.

            Checks the controller that BLUETOOTH_CONTROLLER selects, the kernel, the adapters and their drivers, the radio switch, \
            the capabilities of this program, bluetoothd and other programs, the folder of the store, and virtual radios. It changes \
            nothing. The exit code is 0 if the controller is usable, otherwise 3. Needs no privileges.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var color: ColorOptions

    func run() async throws {
        let selection = options.controller ?? ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"]
        let diagnosis = Diagnosis(facts: await MachineProbe.facts(selection: selection))
        let findings = diagnosis.findings
        let terminal = color.terminal()
        let lines = options.json ? findings.map { jsonLine($0) } : findings.flatMap { Self.lines($0, terminal) }
        for line in lines { try emit(line) }
        let count = findings.count { $0.state == .problem }
        guard count > 0 else { return }
        throw ToolError(
            .noAdapter,
            count == 1 ? "1 problem prevents the use of Bluetooth." : "\(count) problems prevent the use of Bluetooth.",
            findings.first { $0.state == .problem && $0.fix != nil }?.fix.map { "Try: \($0)" } ?? "Try: bluelab demo")
    }

    static func lines(_ finding: Finding, _ terminal: Terminal) -> [String] {
        let style: Terminal.Style =
            switch finding.state {
            case .ok: .green
            case .note: .faint
            case .warning: .yellow
            case .problem: .red
            }
        let state = terminal.styled(filled(say(finding.state.rawValue), 7), style)
        let lines = ["\(state)  \(say(ValueText.printable(finding.text)))"]
        guard let fix = finding.fix, finding.state != .ok else { return lines }
        return lines + ["         \(say("Try: "))\(terminal.styled(ValueText.printable(fix), .bold))"]
    }
}
