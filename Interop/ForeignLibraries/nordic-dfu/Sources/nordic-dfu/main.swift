import CoreBluetooth
import Foundation
import NordicDFU

/// Scans for the DFU service, and sends a file to the first device that has it. Prints what the library reports. The
/// exit code is 0 after `Completed`, and 1 after an error.
final class Update: NSObject, CBCentralManagerDelegate, DFUServiceDelegate, DFUProgressDelegate, LoggerDelegate {
    private let firmware: DFUFirmware
    private let start = Date()
    private var manager: CBCentralManager!
    private var controller: DFUServiceController?
    private var tenth = -1

    init(_ firmware: DFUFirmware) {
        self.firmware = firmware
        super.init()
        manager = CBCentralManager(delegate: self, queue: .main)
    }

    private func say(_ text: String) {
        print(String(format: "%6.2f s  %@", Date().timeIntervalSince(start), text))
        fflush(stdout)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, controller == nil else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "FE59")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard controller == nil else { return }
        central.stopScan()
        say("found \(peripheral.name ?? "a device without a name")")
        let initiator = DFUServiceInitiator(queue: .main)
        initiator.delegate = self
        initiator.progressDelegate = self
        initiator.logger = self
        initiator.packetReceiptNotificationParameter = 12
        // The library connects with a manager of its own, by the identifier.
        controller = initiator.with(firmware: firmware).start(targetWithIdentifier: peripheral.identifier)
    }

    func dfuStateDidChange(to state: DFUState) {
        say("state: \(state)")
        if state == .completed { exit(0) }
        if state == .aborted { exit(1) }
    }

    func dfuError(_ error: DFUError, didOccurWithMessage message: String) {
        say("error \(error.rawValue): \(message)")
        exit(1)
    }

    func dfuProgressDidChange(
        for part: Int, outOf totalParts: Int, to progress: Int, currentSpeedBytesPerSecond: Double,
        avgSpeedBytesPerSecond: Double
    ) {
        guard progress / 10 != tenth else { return }
        tenth = progress / 10
        say("\(progress) %, \(Int(avgSpeedBytesPerSecond)) octets per second")
    }

    func logWith(_ level: LogLevel, message: String) {
        if level.rawValue >= LogLevel.application.rawValue { say(message) }
    }
}

guard CommandLine.arguments.count == 2 else {
    print("usage: nordic-dfu FILE.zip")
    exit(2)
}
let update = Update(try DFUFirmware(urlToZipFile: URL(fileURLWithPath: CommandLine.arguments[1])))
RunLoop.main.run()
