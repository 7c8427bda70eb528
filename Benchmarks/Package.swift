// swift-tools-version: 6.3
import PackageDescription

// A separate package, so that users of the main package do not resolve the dependencies of the measurements. `House`
// and `Programs` are links to the sources: compiled as targets of this package, they show it their `package`
// declarations.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

func house(_ name: String, _ below: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: below, path: "House/\(name)", swiftSettings: settings)
}

func measures(_ name: String, _ of: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: of, swiftSettings: settings)
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
    targets: [
        house("BLEWire"),
        house("BLEAssignedNumbers", ["BLEWire"]),
        house("BLELink", ["BLEWire"]),
        house("BLEAttribute", ["BLEWire", deque]),
        house("BLESecurity", ["BLEWire"]),
        house("BLEHost", ["BLEWire", "BLELink", "BLEAttribute", "BLESecurity"]),
        house("BLEController", ["BLEWire"]),
        house("BLECrypto", ["BLEWire", crypto, cryptoExtras]),
        .target(name: "CLinuxBluetooth", path: "House/CLinuxBluetooth"),
        house("BLETransport", ["BLEWire", "CLinuxBluetooth"]),
        house("BLEAdapter", ["BLEWire", "BLESecurity", log]),
        house("BLEExecution", ["BLEWire", "BLEAdapter"]),
        house("BLESessions", ["BLEWire", "BLEAdapter", "BLEAttribute", "BLELink", "BLESecurity", "BLEHost", deque]),
        house("BLEStore", ["BLEWire", "BLESecurity", "BLEAdapter", log]),
        house("BLECapture", ["BLEWire", "BLEAdapter", "BLETransport"]),
        house(
            "BLEVirtualRadio",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLETransport", "BLECapture", "BLEController", "BLECrypto",
                log,
                deque,
            ]),
        house(
            "BLEHostAdapter",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLESecurity", "BLECrypto", "BLEHost", "BLESessions",
                "BLEStore", "BLEVirtualRadio", "BLEController", log,
            ]),
        house(
            "BLERuntime",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLEHost", "BLESessions", "BLEHostAdapter", "BLETransport",
                "BLEStore", "BLECapture", "BLEVirtualRadio", "BLEController", "BLEGatewayAdapter", "NoiseChannel",
                "LocalDiscovery", log,
            ]),
        house("BLESharedRadio", ["BLEWire", "BLEExecution", "BLEVirtualRadio", "BLETransport", "BLEController"]),
        house(
            "BLESimulator",
            [
                "BLEWire", "BLEAdapter", "BLEVirtualRadio", "BLEHostAdapter", "BLEController",
                "BLETransport", "BLEStore",
                "BLECapture", "BluetoothPairing",
            ]),
        house("BluetoothPairing", ["BLEWire", "BLESecurity", "BLEAdapter", "BLERuntime"]),
        .target(name: "CCoreBluetoothTypes", path: "House/CCoreBluetoothTypes"),
        house("DispatchNames"),
        house(
            "CoreBluetooth",
            [
                "CCoreBluetoothTypes", "DispatchNames", "BLEAssignedNumbers", "BLEWire", "BLEAdapter", "BLERuntime",
                log, deque,
            ]),
        house("BLEBeacons", ["BLEWire", "BLEAdapter", "CoreBluetooth"]),
        house("BLEValues", ["BLEAssignedNumbers", "BLEWire"]),
        house("BLETransfer", ["CoreBluetooth", "QueueClocks", crypto]),
        house("YAMLDocuments", [.product(name: "Yams", package: "Yams")]),
        house("DeviceScripts", ["YAMLDocuments", "BLEValues"]),
        house("DeviceProfiles", ["YAMLDocuments", "BLEValues", "BLEAssignedNumbers", "BLEWire"]),
        house("Plots"),
        .target(
            name: "ExamplePrograms", dependencies: ["CoreBluetooth"], path: "Programs/Programs", swiftSettings: settings
        ),
        .target(
            name: "LampPrograms", dependencies: ["CoreBluetooth", "DeviceLink", "ImprovWiFi"], path: "Programs/Lamp",
            swiftSettings: settings),
        house("LocalDiscovery"),
        house("NoiseChannel", [crypto]),
        house("SystemBus"),
        house("ImprovWiFi", ["CoreBluetooth", "BLEAdapter", "BLEWire", "QueueClocks", "SystemBus"]),
        house("QueueClocks"),
        house("LocalHTTP", ["BLETransport", "BLEWire"]),
        house(
            "DeviceLink",
            [
                "CoreBluetooth", "BLETransport", "BLEWire", "LocalDiscovery", "LocalHTTP", "MQTTClient", "NoiseChannel",
                "QueueClocks",
            ]),
        house("ESPHomeAPI", ["BLEWire", "NoiseChannel"]),
        house(
            "BLEGatewayAdapter",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire", log]),
        house(
            "BluetoothGateway",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire"]),
        house("BLEDissection", ["BLEWire", "BLEAssignedNumbers", "BLEValues"]),
        house(
            "ProfileServing",
            [
                "CoreBluetooth", "DeviceProfiles", "BLEValues", "BLEAssignedNumbers", "BLEAdapter", "BLESessions",
                "BLEWire",
            ]),
        house(
            "AdvertisementScanning",
            ["BLEAdapter", "BLEWire", "BLEAssignedNumbers", "BLEValues", "BLEBeacons", "BLERuntime"]),
        house("AttributeValues", ["CoreBluetooth", "BLEValues"]),
        house("DurableQueue"),
        house("TLSChannel"),
        house("MQTTClient", ["BLETransport", "BLEWire", "TLSChannel", deque]),
        house(
            "CloudGateway",
            [
                "MQTTClient", "DurableQueue", "AdvertisementScanning", "BLEBeacons", "BLEValues", "BLEAssignedNumbers",
                "BLEAdapter", "BLETransport", "BLEWire", "LocalHTTP",
            ]),
        house("GatewayFleet", ["CloudGateway", "MQTTClient", "DurableQueue", "BLEAdapter", "BLETransport", "BLEWire"]),
        // The texts of the studio in both languages.
        house("StudioPhrases"),
        house("StudioServer", ["StudioPhrases", "LocalHTTP", "TLSChannel", "BLEAdapter", "BLETransport", crypto]),
        house(
            "StudioRoom",
            [
                "CoreBluetooth", "BluetoothPairing", "BLESimulator", "BLEVirtualRadio", "BLEController", "BLECapture",
                "BLEAdapter", "BLEWire", "ProfileServing", "DeviceProfiles", "BLEDissection",
                "BLEValues", "YAMLDocuments", "ExamplePrograms", "StudioPhrases",
            ]),
        house(
            "StudioExplorer",
            [
                "CoreBluetooth", "BluetoothPairing", "AdvertisementScanning", "AttributeValues", "BLEValues",
                "BLEAssignedNumbers", "BLEDissection", "DeviceScripts", "DeviceProfiles", "BLEAdapter", "BLEWire",
                "StudioPhrases",
            ]),
        house(
            "Studio",
            [
                "StudioPhrases", "StudioServer", "StudioRoom", "StudioExplorer", "BLEDissection", "CoreBluetooth",
                "BLESimulator", "BLERuntime", "BLEAdapter", "BLEWire",
                "BLECapture", "DeviceProfiles", "DeviceScripts", "BLEValues", "BLEAssignedNumbers",
                "ProfileServing", "YAMLDocuments",
            ]),
        .executableTarget(
            name: "bluelab",
            dependencies: [
                "CoreBluetooth", "BLESimulator", "BLESharedRadio", "BLEVirtualRadio", "BLEAdapter", "BLECapture",
                "BLECrypto", "BLEHostAdapter", "BLERuntime", "BLEStore", "BluetoothPairing",
                "BLEController", "BLETransport", "BLEWire", "BLEAssignedNumbers", "BLEBeacons", "BLEValues",
                "BLETransfer", "YAMLDocuments", "DeviceProfiles", "DeviceScripts", "Plots", "ExamplePrograms",
                "LampPrograms", "BLEDissection", "ProfileServing", "AdvertisementScanning", "AttributeValues",
                "StudioRoom", "Studio",
                "StudioServer", "StudioPhrases", "BluetoothGateway", "NoiseChannel", "LocalDiscovery", "DeviceLink",
                "ImprovWiFi", "CloudGateway", "GatewayFleet", "MQTTClient", "DurableQueue", "TLSChannel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "House/bluelab", swiftSettings: settings),

        .target(name: "CAllocationCounter"),
        .target(name: "CHeap"),
        .target(name: "CCallgrind"),
        .target(name: "Figures", swiftSettings: settings),
        measures("on-air", ["BLEHost", "BLELink", "BLEController", "BLECrypto", "BLEWire", "Figures"]),
        measures(
            "crowd",
            [
                "BLESimulator", "BLEAdapter", "BLEHostAdapter", "BLERuntime", "BLEHost", "BLEAttribute",
                "BLEController", "BLECrypto", "BLEWire", "BLETransport", "BLEVirtualRadio",
                "CHeap", "Figures",
            ]),
        measures("controller", ["BLESimulator", "BLEController", "BLECrypto", "BLEWire", "Figures"]),
        measures(
            "callback-allocations",
            ["CoreBluetooth", "BLEAdapter", "BLEHostAdapter", "BLERuntime", "BLEWire", "CAllocationCounter", "Figures"]),
        measures(
            "host-paths",
            [
                "BLEAdapter", "BLEExecution", "BLEStore", "BLEHostAdapter", "BLERuntime", "BLEHost", "BLEWire",
                "CAllocationCounter",
                "Figures",
            ]),
        measures(
            "host-client",
            [
                "CoreBluetooth", "BLEAdapter", "BLEHostAdapter", "BLERuntime", "BLEHost", "BLETransport", "BLEStore",
                "BLEWire", "CCallgrind",
                "Figures",
            ]),
        measures(
            "gateway",
            [
                "BluetoothGateway", "BLEGatewayAdapter", "NoiseChannel", "BLEAdapter", "BLETransport", "BLEWire",
                "CAllocationCounter", "Figures",
            ]),
        measures(
            "connection-events", ["CoreBluetooth", "BLESimulator", "BLEController", "BLEWire", "Figures"]),
        measures(
            "latency",
            [
                "CoreBluetooth", "BLEAdapter", "BLEHostAdapter", "BLERuntime", "BLEHost", "BLETransport", "BLEStore",
                "BLEWire",
                "Figures",
                log,
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        measures("first-state", ["CoreBluetooth"]),
    ]
)
