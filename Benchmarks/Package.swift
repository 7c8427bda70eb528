// swift-tools-version: 6.3
import PackageDescription

// A separate package, so that users of the main package do not resolve the dependencies of the measurements. `Project` is a link to the main package:
// compiled as targets of this package, its sources show it their `package` declarations.

// swift-format-ignore
/// The targets of `Sources` and `Examples`, each with those directly below it. A target may import everything below it. Arrows stay in a folder or
/// point to one above it in this list. Sources/LAYER/README.md says what each target is for. Benchmarks and Fuzz have a copy: Scripts/check-manifests --write.
let sources: KeyValuePairs<String, KeyValuePairs<String, String>> = [
    "Protocol": [
        "BLEWire": "",
        "BLEAssignedNumbers": "BLEWire",
        "BLEValues": "BLEAssignedNumbers",
        "BLELink": "BLEWire",
        "BLEAttribute": "BLEWire DequeModule",
        "BLESecurity": "BLEWire",
        "BLEHost": "BLELink BLEAttribute BLESecurity",
        "BLEAdapter": "BLESecurity Logging",
        "BLESessions": "BLEHost BLEAdapter",
    ],
    "System": [
        "CLinuxBluetooth": "",
        "BLETransport": "BLEAdapter CLinuxBluetooth",
        "BLECrypto": "BLEWire Crypto CryptoExtras",
        "BLEStore": "BLEAdapter",
        "SystemBus": "BLETransport",
        "TerminalText": "BLEAdapter",
        "Phrases": "",
    ],
    "Network": [
        "NoiseChannel": "Crypto",
        "TLSChannel": "",
        "LocalDiscovery": "",
        "LocalHTTP": "BLETransport",
        "MQTTClient": "BLETransport TLSChannel DequeModule",
        "ESPHomeAPI": "BLEWire NoiseChannel",
        "DurableQueue": "",
    ],
    "Radio": [
        "BLEController": "BLEWire DequeModule HeapModule",
        "BLEVirtualRadio": "BLEController BLECrypto BLETransport",
    ],
    "Adapters": [
        "BLEHostAdapter": "BLESessions BLEStore BLEVirtualRadio",
        "BLEGatewayAdapter": "ESPHomeAPI BLEAttribute BLETransport",
        "BLEBlueZAdapter": "SystemBus BLEAttribute BLETransport",
        "BLERuntime": "BLEHostAdapter BLEGatewayAdapter BLEBlueZAdapter LocalDiscovery",
    ],
    "CoreBluetooth": [
        "CCoreBluetoothTypes": "",
        "CoreBluetooth": "BLERuntime BLEAssignedNumbers CCoreBluetoothTypes",
        "BluetoothPairing": "BLERuntime",
    ],
    "Libraries": [
        "BLESimulator": "BluetoothPairing",
        "BLEPacketDecoding": "BLESimulator BLEValues",
        "BLEBeacons": "CoreBluetooth",
        "BLEPeriodic": "BLERuntime",
        "BLETransfer": "CoreBluetooth",
        "ImprovWiFi": "CoreBluetooth SystemBus",
        "DeviceLink": "CoreBluetooth MQTTClient LocalHTTP",
    ],
    "Examples": [
        "ExamplePrograms": "BLESimulator CoreBluetooth TerminalText",
        "LampPrograms": "DeviceLink ImprovWiFi",
        "Devices": "CoreBluetooth Crypto CryptoExtras",
    ],
    "Devices": [
        "DeviceFiles": "CoreBluetooth BLEValues Yams",
        "WorldFiles": "DeviceFiles ExamplePrograms Phrases",
        "AdvertisementScanning": "BLEBeacons BLEValues",
    ],
    "Gateways": [
        "BluetoothGateway": "ESPHomeAPI BLETransport",
        "CloudGateway": "AdvertisementScanning DurableQueue MQTTClient LocalHTTP",
        "GatewayFleet": "CloudGateway",
    ],
    "Studio": [
        "StudioServer": "Phrases LocalHTTP TLSChannel Crypto",
        "StudioRoom": "WorldFiles BLEPacketDecoding",
        "StudioExplorer": "Phrases DeviceFiles BLEPacketDecoding AdvertisementScanning",
        "Studio": "StudioServer StudioRoom StudioExplorer",
    ],
    "Tool": [
        "bluelab": "Studio BLETransfer LampPrograms BluetoothGateway GatewayFleet ArgumentParser",
    ],
]

/// The package of each product of other packages.
let packages = [
    "Logging": "swift-log", "DequeModule": "swift-collections", "HeapModule": "swift-collections",
    "Crypto": "swift-crypto",
    "CryptoExtras": "swift-crypto", "ArgumentParser": "swift-argument-parser", "Yams": "Yams",
    "Histogram": "hdrhistogram-swift",
]

/// Everything below some targets, themselves included.
func below(_ names: String) -> [Target.Dependency] {
    var found: Set<String> = []
    var waiting = names.split(separator: " ").map(String.init)
    while let name = waiting.popLast() {
        guard found.insert(name).inserted else { continue }
        for (target, names) in sources.map(\.value).joined() where target == name {
            waiting += names.split(separator: " ").map(String.init)
        }
    }
    return found.sorted().map { name in
        packages[name].map { .product(name: name, package: $0) } ?? .byName(name: name)
    }
}

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableExperimentalFeature("Lifetimes"),
]

/// A target of the main package, from its sources behind the link.
func target(_ name: String, in folder: String, _ names: String) -> Target {
    let path = folder == "Examples" ? "Project/Examples/\(name)" : "Project/Sources/\(folder)/\(name)"
    if name == name.lowercased() {
        return .executableTarget(name: name, dependencies: below(names), path: path, swiftSettings: settings)
    }
    return .target(name: name, dependencies: below(names), path: path, swiftSettings: settings)
}

func measurement(_ name: String, _ names: String) -> Target {
    .executableTarget(name: name, dependencies: below(names + " Figures"), swiftSettings: settings)
}

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: sources.flatMap { folder, targets in targets.map { target($0.key, in: folder, $0.value) } } + [
        .target(name: "CAllocationCounter"),
        .target(name: "CHeap"),
        .target(name: "CCallgrind"),
        .target(name: "Figures", swiftSettings: settings),
        measurement("on-air", "BLEHost BLEController BLECrypto"),
        measurement("crowd", "BLESimulator CHeap"),
        measurement("controller", "BLESimulator"),
        measurement("callback-allocations", "CoreBluetooth CAllocationCounter"),
        measurement("host-paths", "BLERuntime CAllocationCounter"),
        measurement("host-client", "CoreBluetooth CCallgrind"),
        measurement("gateway", "BluetoothGateway BLEGatewayAdapter CAllocationCounter"),
        measurement("connection-events", "CoreBluetooth BLESimulator"),
        measurement("latency", "CoreBluetooth Histogram"),
        measurement("first-state", "CoreBluetooth"),
        measurement("bus", "SystemBus"),
    ]
)
