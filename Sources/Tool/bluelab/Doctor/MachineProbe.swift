import BLERuntime
import BLEVirtualRadio
import BLEStore
import BLETransport
import BLEWire
import Foundation

/// Collects the facts for `bluelab doctor`. It changes nothing: it opens no adapter, and sends no command to one.
enum MachineProbe {
    /// The time limit of each other program and of each connection.
    private static let limit = 2.0

    static func facts(selection: String?, system: SystemBluetooth = .current) async -> MachineFacts {
        let choice = ControllerChoice(selection, system: system)
        var facts = MachineFacts(selection: selection, choice: choice)
        facts.hasBluetooth = system.hasBluetooth
        facts.isContainer = system.isContainer
        facts.adapters = system.localAdapters()
        for adapter in facts.adapters { facts.drivers[adapter.index] = system.driver(adapter.index) }
        facts.isBlocked = facts.adapters.isEmpty && system.isBlocked(0)
        facts.mayTakeAdapters = system.mayTakeAdapters
        facts.capabilityCommand = system.capabilityCommand
        facts.holders = system.holders()
        facts.kernel = system.kernelRelease
        facts.distribution = system.distribution
        facts.blueZ = version(of: output(["bluetoothctl", "--version"]))
        if facts.daemon != nil {
            for adapter in facts.adapters where isScanning(adapter) { facts.scanning.insert(adapter.index) }
        }
        facts.store = StoreDirectory.standard?.path
        facts.storeFailure = facts.store.flatMap(storeFailure)
        facts.radios = await radios()
        switch choice {
        case .radio(let endpoint): facts.setFailure(await failure(of: endpoint))
        case .socket(let address): facts.setFailure(await failure(of: address))
        case .gateway(let place): facts.controllerFailure = await ControllerCheck.failure(of: place)
        case .bluez(let name): facts.controllerFailure = await ControllerCheck.failure(ofBlueZ: name)
        case .adapter, .virtual, .none: break
        }
        // Without bluetoothd the check would have the bus start it.
        if facts.daemon != nil {
            if case .bluez(nil) = choice {
                facts.daemonFailure = facts.controllerFailure
            } else {
                facts.daemonFailure = await ControllerCheck.failure(ofBlueZ: nil)
            }
        } else if case .bluez(.some) = choice, facts.controllerFailure != nil {
            facts.isDaemonReached = await ControllerCheck.failure(ofBlueZ: nil) == nil
        }
        return facts
    }

    /// The number in `bluetoothctl: 5.66`.
    static func version(of text: String?) -> String? {
        text?.split(whereSeparator: \.isWhitespace).last { $0.first?.isNumber == true }.map(String.init)
    }

    private static func isScanning(_ adapter: LocalAdapter) -> Bool {
        output([
            "busctl", "--system", "--timeout=\(Int(limit))", "get-property", "org.bluez", "/org/bluez/\(adapter.name)",
            "org.bluez.Adapter1", "Discovering",
        ])?.hasPrefix("b true") ?? false
    }

    /// The output of a program, at most 4 KiB; nil if it does not exist, fails, or exceeds the time limit.
    private static func output(_ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + limit)
        timer.setEventHandler { kill(process.processIdentifier, SIGKILL) }
        timer.resume()
        let data = (try? pipe.fileHandleForReading.read(upToCount: 4096)) ?? Data()
        process.waitUntilExit()
        timer.cancel()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }

    /// The reason why the store cannot be written. Checks the nearest folder that exists, because the store creates the others.
    static func storeFailure(_ path: String) -> String? {
        var folder = path
        while access(folder, F_OK) != 0, errno == ENOENT || errno == ENOTDIR, folder.count > 1 {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        var status = stat()
        guard stat(folder, &status) == 0 else { return "\(folder): \(String(cString: strerror(errno)))" }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder" }
        guard access(folder, W_OK | X_OK) == 0 else { return "\(folder): \(String(cString: strerror(errno)))" }
        return nil
    }

    /// The radios whose sockets exist.
    private static func radios() async -> [MachineFacts.Radio] {
        guard let folder = try? SharedRadioEndpoint().directory else { return [] }
        let suffix = ".control"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        var radios: [MachineFacts.Radio] = []
        for name in names where name.hasPrefix("radio") && name.hasSuffix(suffix) {
            let word = name.dropFirst("radio".count).dropLast(suffix.count)
            guard let endpoint = try? SharedRadioEndpoint(name: word.isEmpty ? nil : String(word.dropFirst())) else {
                continue
            }
            radios.append(MachineFacts.Radio(endpoint: endpoint, failure: await failure(of: endpoint)))
        }
        return radios
    }

    private static func failure(of endpoint: SharedRadioEndpoint) async -> String? {
        do throws(SharedRadioEndpoint.EndpointError) {
            _ = try await RadioControlClient.ask("wall list", at: endpoint)
            return nil
        } catch {
            return error.description
        }
    }

    private static func failure(of address: TransportAddress) async -> String? {
        await withCheckedContinuation { continuation in
            let queue = DispatchQueue(label: "bluelab.doctor")
            queue.async {
                StreamConnector.connect(to: address, queue: queue, timeout: .seconds(Int(limit))) { result in
                    switch result {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error.description)
                    }
                }
            }
        }
    }
}

extension MachineFacts {
    /// Takes the reason why the selected controller does not accept a connection.
    fileprivate mutating func setFailure(_ reason: String?) {
        controllerFailure = reason.map { ControllerError(choice, .unavailable, $0) }
    }
}
