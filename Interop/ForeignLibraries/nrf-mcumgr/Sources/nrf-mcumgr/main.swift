import CoreBluetooth
import Foundation
import iOSMcuManagerLibrary

/// Scans for the SMP service, reads what the first device has, and sends it an image in the mode "test and confirm".
/// Prints what the library reports. The exit code is 0 if the image then runs and is confirmed, and 1 after an error.
final class Update: NSObject, CBCentralManagerDelegate, FirmwareUpgradeDelegate {
    private let image: ImageManager.Image
    private let requests: Int
    private let start = Date()
    private var central: CBCentralManager!
    private var transport: McuMgrBleTransport?
    private var system: DefaultManager!
    private var images: ImageManager!
    private var upgrade: FirmwareUpgradeManager!
    private var quarter = -1

    /// - Parameter requests: The number of requests of the upload that are under way at the same time.
    init(_ image: ImageManager.Image, requests: Int) {
        self.image = image
        self.requests = requests
        super.init()
        central = CBCentralManager(delegate: self, queue: .main)
    }

    private func say(_ text: String) {
        print(String(format: "%6.2f s  %@", Date().timeIntervalSince(start), text))
        fflush(stdout)
    }

    private func fail(_ text: String) -> Never {
        say("error: \(text)")
        exit(1)
    }

    /// Returns the response. Ends the program if there is none, or if it is an error.
    private func check<Response: McuMgrResponse>(_ response: Response?, _ error: Error?) -> Response {
        if let error = error ?? response?.getError() { fail(error.localizedDescription) }
        guard let response else { fail("no response") }
        return response
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, transport == nil else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "8D53DC1D-1DB7-4CD3-868B-8A527460AA84")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard transport == nil else { return }
        central.stopScan()
        say("found \(peripheral.name ?? "a device without a name")")
        // The transport connects with a manager of its own, by the identifier.
        let transport = McuMgrBleTransport(peripheral.identifier)
        self.transport = transport
        system = DefaultManager(transport: transport)
        images = ImageManager(transport: transport)
        upgrade = FirmwareUpgradeManager(transport: transport, delegate: self)
        system.echo("hello") { [self] in
            say("echo: \(check($0, $1).response ?? "no text")")
            system.params { [self] in
                let parameters = check($0, $1)
                say("parameters: \(parameters.bufferCount ?? 0) buffers of \(parameters.bufferSize ?? 0) octets")
                list { [self] _ in
                    let configuration = FirmwareUpgradeConfiguration(
                        estimatedSwapTime: 1, pipelineDepth: requests, upgradeMode: .testAndConfirm)
                    upgrade.start(images: [image], using: configuration)
                }
            }
        }
    }

    private func list(_ use: @escaping ([McuMgrImageStateResponse.ImageSlot]) -> Void) {
        images.list { [self] in
            let slots = check($0, $1).images ?? []
            for slot in slots {
                let states = [slot.active ? "active" : nil, slot.confirmed ? "confirmed" : nil].compactMap { $0 }
                say("slot \(slot.slot): \(([slot.version ?? "no version"] + states).joined(separator: ", "))")
            }
            use(slots)
        }
    }

    func upgradeDidStart(controller: FirmwareUpgradeController) { say("begins") }

    func upgradeStateDidChange(from previousState: FirmwareUpgradeState, to newState: FirmwareUpgradeState) {
        say("state: \(newState)")
    }

    func upgradeDidComplete() {
        list { [self] slots in
            guard slots.contains(where: { Data($0.hash) == image.hash && $0.active && $0.confirmed }) else {
                fail("the image does not run")
            }
            say("completed")
            exit(0)
        }
    }

    func upgradeDidFail(inState state: FirmwareUpgradeState, with error: Error) {
        fail("\(state): \(error.localizedDescription)")
    }

    func upgradeDidCancel(state: FirmwareUpgradeState) { fail("canceled") }

    func uploadProgressDidChange(bytesSent: Int, imageSize: Int, timestamp: Date) {
        guard 4 * bytesSent / imageSize != quarter else { return }
        quarter = 4 * bytesSent / imageSize
        say("\(bytesSent) of \(imageSize) octets")
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 2 || arguments.count == 3, let requests = arguments.count == 3 ? Int(arguments[2]) : 3 else {
    print("usage: nrf-mcumgr IMAGE.bin [REQUESTS]")
    exit(2)
}
let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
let image = ImageManager.Image(image: 0, hash: try McuMgrImage(data: file).hash, data: file)
let update = Update(image, requests: requests)
RunLoop.main.run()
