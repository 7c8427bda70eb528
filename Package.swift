// swift-tools-version: 6.3
import PackageDescription

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

// swift-format-ignore
/// Programs and tests, with the targets directly below them.
let others: KeyValuePairs<String, KeyValuePairs<String, String>> = [
    "Examples": [
        "demo": "ExamplePrograms",
        "walkthrough": "ExamplePrograms",
        "wristband": "ExamplePrograms",
        "frame-central": "ExamplePrograms",
        "frame-peripheral": "ExamplePrograms",
        "streaming-central": "ExamplePrograms",
        "streaming-peripheral": "ExamplePrograms",
        "mobike-central": "ExamplePrograms",
        "mobike-peripheral": "ExamplePrograms",
        "packet-list": "BLEPacketDecoding CoreBluetooth",
        "pulse": "CoreBluetooth",
        "lamp-device": "LampPrograms ExamplePrograms",
        "lamp-phone": "LampPrograms ExamplePrograms",
        "example-device": "Devices ExamplePrograms ImprovWiFi",
    ],
    "Interop": [
        "interop-peer": "BluetoothPairing CoreBluetooth",
        "restart-peer": "CoreBluetooth",
        "pdu-samples": "BLETransport",
        "advertising-peer": "BLEHost BLETransport",
        "improv-peer": "ImprovWiFi",
        "local-peer": "LocalDiscovery",
    ],
    "Tests/Support": [
        "QuietLog": "",
        "TestConditions": "",
        "TestDoubles": "BLETransport",
        "ScanReports": "AdvertisementScanning",
        "TLSBench": "TLSChannel",
        "FaultBench": "BLEHost BLEController BLECrypto",
        "BusBench": "SystemBus BLEWire",
        "BlueZBench": "BusBench TestDoubles",
        "CFaultHeap": "",
    ],
    "Tests/Programs": [
        "fault-soak": "FaultBench CFaultHeap BLESimulator CoreBluetooth",
        "store-crash": "BLEStore",
    ],
    "Tests/Protocol": [
        "BLEWireTests": "BLEWire",
        "BLEAssignedNumbersTests": "BLEAssignedNumbers",
        "BLEValuesTests": "BLEValues",
        "BLELinkTests": "BLELink",
        "BLEAttributeTests": "BLEAttribute BLECrypto",
        "BLESecurityTests": "BLESecurity BLECrypto",
        "BLEHostTests": "BLEHost BLEController BLECrypto",
        "BLEAdapterTests": "BLEAdapter",
        "BLESessionsTests": "BLESessions BLEController BLECrypto",
        "FaultTests": "FaultBench",
    ],
    "Tests/System": [
        "BLETransportTests": "BLETransport BLECrypto TestConditions",
        "BLECryptoTests": "BLECrypto",
        "BLEStoreTests": "BLEStore TestConditions store-crash",
        "SystemBusTests": "BusBench TestConditions TestDoubles",
        "TerminalTextTests": "TerminalText",
        "PhrasesTests": "Phrases CoreBluetooth TestConditions",
    ],
    "Tests/Network": [
        "NoiseChannelTests": "NoiseChannel BLEWire",
        "TLSChannelTests": "TLSBench BLEWire",
        "LocalDiscoveryTests": "LocalDiscovery",
        "LocalHTTPTests": "LocalHTTP TestDoubles",
        "MQTTClientTests": "MQTTClient TLSBench TestConditions",
        "ESPHomeAPITests": "ESPHomeAPI",
        "DurableQueueTests": "DurableQueue BLEAdapter TestConditions",
    ],
    "Tests/Radio": [
        "BLEControllerTests": "BLEController BLECrypto",
        "BLEVirtualRadioTests": "BLERuntime TestConditions",
    ],
    "Tests/Adapters": [
        "BLEBlueZAdapterTests": "BLEBlueZAdapter BLEStore BlueZBench BusBench TestDoubles TestConditions",
        "BLERuntimeTests": "BLERuntime TestConditions",
    ],
    "Tests/CoreBluetooth": [
        "CoreBluetoothTests": "CoreBluetooth BLESimulator BluetoothGateway TestConditions restart-peer",
        "BluetoothPairingTests": "CoreBluetooth BLESimulator TestConditions",
        "ExampleTests": "ExamplePrograms BLESimulator",
        "ClientStyleTests": "ExamplePrograms BLESimulator TestConditions",
    ],
    "Tests/Libraries": [
        "BLESimulatorTests": "BLESimulator TestConditions",
        "BLEPacketDecodingTests": "BLEPacketDecoding CoreBluetooth packet-list pdu-samples",
        "BLEBeaconsTests": "BLEBeacons BLESimulator",
        "BLEPeriodicTests": "BLEPeriodic BLESimulator CoreBluetooth TestConditions",
        "BLETransferTests": "BLETransfer BLESimulator TestConditions",
        "ImprovWiFiTests": "ImprovWiFi BLESimulator BusBench TestConditions",
        "DeviceLinkTests": "DeviceLink BLESimulator TestConditions",
    ],
    "Tests/Examples": [
        "DevicesTests": "Devices BLESimulator TestConditions",
    ],
    "Tests/Devices": [
        "DeviceFilesTests": "DeviceFiles ExamplePrograms BLESimulator TestConditions",
        "WorldFilesTests": "WorldFiles TestConditions",
        "AdvertisementScanningTests": "ScanReports BLESimulator",
    ],
    "Tests/Gateways": [
        "BluetoothGatewayTests": "BluetoothGateway TestDoubles",
        "CloudGatewayTests": "CloudGateway TestConditions TestDoubles",
        "GatewayFleetTests": "GatewayFleet",
    ],
    "Tests/Studio": [
        "StudioServerTests": "StudioServer TLSBench TestConditions",
        "StudioRoomTests": "StudioRoom TestConditions",
        "StudioExplorerTests": "StudioExplorer DeviceLink ImprovWiFi BLETransfer TestConditions",
        "StudioTests": "Studio TestConditions",
    ],
    "Tests/Tool": [
        "BluelabTests": "bluelab demo walkthrough wristband ScanReports BlueZBench BusBench TestConditions",
    ],
]

/// The package of each product of other packages.
let packages = [
    "Logging": "swift-log", "DequeModule": "swift-collections", "HeapModule": "swift-collections",
    "Crypto": "swift-crypto",
    "CryptoExtras": "swift-crypto", "ArgumentParser": "swift-argument-parser", "Yams": "Yams",
]

/// Everything below some targets, themselves included.
func below(_ names: String) -> [Target.Dependency] {
    var found: Set<String> = []
    var waiting = names.split(separator: " ").map(String.init)
    while let name = waiting.popLast() {
        guard found.insert(name).inserted else { continue }
        for (target, names) in (sources.map(\.value) + others.map(\.value)).joined() where target == name {
            waiting += names.split(separator: " ").map(String.init)
        }
    }
    return found.sorted().map { name in
        packages[name].map { .product(name: name, package: $0) } ?? .byName(name: name)
    }
}

/// A target: a test by its name's end, a program if its name is in lower case.
func target(_ name: String, in folder: String, _ names: String) -> Target {
    // Warnings are errors. With lifetimes, a decoded packet is a view of the received octets instead of a copy.
    var settings: [SwiftSetting] = [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableExperimentalFeature("Lifetimes"),
    ]
    // The language mode of most packages that it is written like.
    if name == "ClientStyleTests" { settings[0] = .swiftLanguageMode(.v5) }
    let path = "\(folder)/\(name)"
    if name.hasSuffix("Tests") {
        // QuietLog sets the environment of the test process, which is one for all test targets.
        return .testTarget(name: name, dependencies: below(names + " QuietLog"), path: path, swiftSettings: settings)
    }
    if name == name.lowercased() {
        return .executableTarget(name: name, dependencies: below(names), path: path, swiftSettings: settings)
    }
    return .target(name: name, dependencies: below(names), path: path, swiftSettings: settings)
}

let package = Package(
    name: "OpenCoreBluetooth",
    products: [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "BluetoothPairing", targets: ["BluetoothPairing"]),
        .library(name: "BLESimulator", targets: ["BLESimulator"]),
        .library(name: "WorldFiles", targets: ["WorldFiles"]),
        .library(name: "BLEPacketDecoding", targets: ["BLEPacketDecoding"]),
        .library(name: "BLEBeacons", targets: ["BLEBeacons"]),
        .library(name: "BLEPeriodic", targets: ["BLEPeriodic"]),
        .library(name: "BLETransfer", targets: ["BLETransfer"]),
        .library(name: "ImprovWiFi", targets: ["ImprovWiFi"]),
        .library(name: "DeviceLink", targets: ["DeviceLink"]),
        .executable(name: "bluelab", targets: ["bluelab"]),
        .executable(name: "demo", targets: ["demo"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: sources.flatMap { folder, targets in
        targets.map { target($0.key, in: folder == "Examples" ? folder : "Sources/\(folder)", $0.value) }
    } + others.flatMap { folder, targets in targets.map { target($0.key, in: folder, $0.value) } }
)

// With OPENCOREBLUETOOTH_OPTIMIZED, a debug build optimizes the targets that use most of the time of the tests, and keeps their assertions. The tests
// then take half of the time. A variable is the only way: SwiftPM refuses such flags in a dependency with a version.
if Context.environment["OPENCOREBLUETOOTH_OPTIMIZED"] != nil {
    let busy: Set = [
        "BLEWire", "BLELink", "BLEAttribute", "BLEHost", "BLESessions", "BLEHostAdapter", "BLEController",
        "BLEVirtualRadio", "FaultBench",
    ]
    for target in package.targets where busy.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
    }
}

// Scripts/documentation adds the plug-in of DocC, so that users of the package do not resolve it.
if Context.environment["OPENCOREBLUETOOTH_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// With OPENCOREBLUETOOTH_TESTS, a list of test targets with commas between them, only these and what they need are built: for a short loop, and for
// Scripts/sanitize-threads.
if let chosen = Context.environment["OPENCOREBLUETOOTH_TESTS"] {
    var needed: Set<String> = []
    for name in chosen.split(separator: ",").map(String.init) {
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("OPENCOREBLUETOOTH_TESTS names \(name), which is no target of this package.")
        }
        needed.insert(name)
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
