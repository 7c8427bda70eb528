// swift-tools-version: 6.3
import PackageDescription

// A package beside the main one, so that its users never build it. `House` is a link to the sources: compiled as targets of this
// package, with the instrumentation of the fuzzer, they show it their `package` declarations. `Fuzz/run` makes the link.
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

let package = Package(
    name: "Fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        house("BLEWire"),
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
        house("NoiseChannel", [crypto]),
        house("ESPHomeAPI", ["BLEWire", "NoiseChannel"]),
        house(
            "BLEGatewayAdapter",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire", log]),
        house(
            "BLERuntime",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLEHost", "BLESessions", "BLEHostAdapter", "BLETransport",
                "BLEStore", "BLECapture", "BLEVirtualRadio", "BLEController", "BLEGatewayAdapter", "NoiseChannel",
                "LocalDiscovery", log,
            ]),
        house("LocalDiscovery"),
        house("QueueClocks"),
        house("LocalHTTP", ["BLETransport", "BLEWire"]),
        house("DeviceGroup", ["NoiseChannel", "LocalDiscovery", crypto]),
        house(
            "BluetoothGateway",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire"]),
        .target(name: "CCoreBluetoothTypes", path: "House/CCoreBluetoothTypes"),
        house("DispatchNames"),
        house("BLEAssignedNumbers", ["BLEWire"]),
        house(
            "CoreBluetooth",
            [
                "CCoreBluetoothTypes", "DispatchNames", "BLEAssignedNumbers", "BLEWire", "BLEAdapter", "BLERuntime",
                log, deque,
            ]),
        house("SystemBus"),
        house("ImprovWiFi", ["CoreBluetooth", "BLEAdapter", "BLEWire", "QueueClocks", "SystemBus"]),
        house("DurableQueue"),
        house("TLSChannel"),
        house("MQTTClient", ["BLETransport", "BLEWire", "TLSChannel", deque]),
        house("BLEValues", ["BLEAssignedNumbers", "BLEWire"]),
        house("BLEBeacons", ["BLEWire", "BLEAdapter", "CoreBluetooth"]),
        house(
            "AdvertisementScanning",
            ["BLEAdapter", "BLEWire", "BLEAssignedNumbers", "BLEValues", "BLEBeacons", "BLERuntime"]),
        house(
            "CloudGateway",
            [
                "MQTTClient", "DurableQueue", "AdvertisementScanning", "BLEBeacons", "BLEValues", "BLEAssignedNumbers",
                "BLEAdapter", "BLETransport", "BLEWire", "LocalHTTP",
            ]),
        house(
            "DeviceLink",
            [
                "CoreBluetooth", "BLETransport", "BLEWire", "LocalDiscovery", "LocalHTTP", "MQTTClient", "NoiseChannel",
                "QueueClocks",
            ]),
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "BLEAdapter", "BLEStore", "BLECapture", "BLEHost", "BLELink", "BLEAttribute",
                "BLEController", "BLECrypto",
                "BLEWire", "LocalDiscovery", "DeviceGroup", "NoiseChannel", "ESPHomeAPI", "BLETransport",
                "BLEGatewayAdapter",
                "BluetoothGateway", "SystemBus", "ImprovWiFi", "DurableQueue", "LocalHTTP", "MQTTClient",
                "CloudGateway", "DeviceLink",
                "BluetoothGateway", "SystemBus", "ImprovWiFi", "DurableQueue", "MQTTClient", "CloudGateway",
                "DeviceLink", "LocalHTTP",
            ],
            swiftSettings: settings),
    ]
)
