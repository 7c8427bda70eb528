// swift-tools-version: 6.3
import PackageDescription

// Every target uses the Swift 6 language mode, treats warnings as errors, and enables lifetimes, so that a decoded packet is a
// view of the received octets instead of a copy.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

func room(_ name: String, _ below: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: below, swiftSettings: settings)
}

func tests(_ name: String, _ of: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: of + ["QuietLog"], swiftSettings: settings)
}

func example(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["ExamplePrograms", "CoreBluetooth"], path: "Examples/\(name)",
        swiftSettings: settings)
}

let examples = [
    "walkthrough", "wristband", "frame-central", "frame-peripheral", "streaming-central", "streaming-peripheral",
    "mobike-central", "mobike-peripheral",
]

let package = Package(
    name: "OpenCoreBluetooth",
    products: [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "BluetoothPairing", targets: ["BluetoothPairing"]),
        .library(name: "BLESimulator", targets: ["BLESimulator"]),
        .library(name: "BLEPacketDecoding", targets: ["BLEPacketDecoding"]),
        .library(name: "BLEBeacons", targets: ["BLEBeacons"]),
        .library(name: "BLETransfer", targets: ["BLETransfer"]),
        .library(name: "ImprovWiFi", targets: ["ImprovWiFi"]),
        .library(name: "DeviceLink", targets: ["DeviceLink"]),
        .executable(name: "bluelab", targets: ["bluelab"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        room("BLEWire"),
        room("BLEAssignedNumbers", ["BLEWire"]),
        room("BLELink", ["BLEWire"]),
        room("BLEAttribute", ["BLEWire", deque]),
        room("BLESecurity", ["BLEWire"]),
        room("BLECrypto", ["BLEWire", crypto, cryptoExtras]),
        room("BLEHost", ["BLEWire", "BLELink", "BLEAttribute", "BLESecurity"]),
        room("BLEController", ["BLEWire"]),
        .target(name: "CLinuxBluetooth"),
        room("BLETransport", ["BLEWire", "CLinuxBluetooth"]),
        // What the façade sees of Bluetooth: the adapter protocol, its values, and what adapters share.
        room("BLEAdapter", ["BLEWire", "BLESecurity", log]),
        // The executors that hosts run on, and the link to their controllers.
        room("BLEExecution", ["BLEWire", "BLEAdapter"]),
        // What managers share: one host, and the sessions on it, as a value.
        room("BLESessions", ["BLEWire", "BLEAdapter", "BLEAttribute", "BLELink", "BLESecurity", "BLEHost", deque]),
        // What a host remembers between runs.
        room("BLEStore", ["BLEWire", "BLESecurity", "BLEAdapter", log]),
        // Recordings of packets for btmon and Wireshark.
        room("BLECapture", ["BLEWire", "BLEAdapter", "BLETransport"]),
        // A radio with virtual controllers in virtual time, and external hosts on it.
        room(
            "BLEVirtualRadio",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLETransport", "BLECapture", "BLEController", "BLECrypto",
                log,
                deque,
            ]),
        // The adapter over our own host: the driver of its sessions, on an executor.
        room(
            "BLEHostAdapter",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLESecurity", "BLECrypto", "BLEHost", "BLESessions",
                "BLEStore", "BLEVirtualRadio", "BLEController", log,
            ]),
        // The controller that a program gets: sources, recovery, and the adapter of the process.
        room(
            "BLERuntime",
            [
                "BLEWire", "BLEAdapter", "BLEExecution", "BLEHost", "BLESessions", "BLEHostAdapter", "BLETransport",
                "BLEStore", "BLECapture", "BLEVirtualRadio", "BLEController", "BLEGatewayAdapter", "NoiseChannel",
                "LocalDiscovery", log,
            ]),
        // The server of a radio that programs share, and its control socket.
        room("BLESharedRadio", ["BLEWire", "BLEExecution", "BLEVirtualRadio", "BLETransport", "BLEController"]),
        room(
            "BLESimulator",
            [
                "BLEWire", "BLEAdapter", "BLEVirtualRadio", "BLEHostAdapter", "BLEController",
                "BLETransport", "BLEStore",
                "BLECapture", "BluetoothPairing",
            ]),
        .target(name: "CCoreBluetoothTypes"),
        // Names that Dispatch has on Apple's systems only, for files that import no more than Dispatch.
        room("DispatchNames"),
        room(
            "CoreBluetooth",
            [
                "CCoreBluetoothTypes", "DispatchNames", "BLEAssignedNumbers", "BLEWire", "BLEAdapter", "BLERuntime",
                log, deque,
            ]),
        // Pairing for users of the façade: Apple's module has no API for it.
        room("BluetoothPairing", ["BLEWire", "BLESecurity", "BLEAdapter", "BLERuntime"]),
        room("BLEBeacons", ["BLEWire", "BLEAdapter", "CoreBluetooth"]),
        room("BLEValues", ["BLEAssignedNumbers", "BLEWire"]),
        // A file over a characteristic or a channel: the protocol, and its two ends.
        room("BLETransfer", ["CoreBluetooth", "QueueClocks", crypto]),
        // YAML files with errors that name the line, and the files of `bluelab`.
        room("YAMLDocuments", [.product(name: "Yams", package: "Yams")]),
        room("DeviceProfiles", ["YAMLDocuments", "BLEValues", "BLEAssignedNumbers", "BLEWire"]),
        room("DeviceScripts", ["YAMLDocuments", "BLEValues"]),
        room("Plots"),
        // Messages in a folder that survive the end of the process.
        room("DurableQueue"),
        // Sessions of TLS over octets in memory, with OpenSSL, loaded at run time.
        room("TLSChannel"),
        // A client of MQTT brokers.
        room("MQTTClient", ["BLETransport", "BLEWire", "TLSChannel", deque]),
        .target(
            name: "ExamplePrograms", dependencies: ["CoreBluetooth"], path: "Examples/Programs", swiftSettings: settings
        ),
        // A lamp and its phone, for two examples and a demo. They see products only.
        .target(
            name: "LampPrograms", dependencies: ["CoreBluetooth", "DeviceLink", "ImprovWiFi"], path: "Examples/Lamp",
            swiftSettings: settings),
        // A channel with a pre-shared key: Noise_NNpsk0_25519_ChaChaPoly_SHA256 as values.
        room("NoiseChannel", [crypto]),
        // ESPHome's native API as values, for both ends: messages, framings, connections.
        room("ESPHomeAPI", ["BLEWire", "NoiseChannel"]),
        // The adapter over a gateway's radio.
        room(
            "BLEGatewayAdapter",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire", log]),
        // A Bluetooth adapter served to other machines.
        room(
            "BluetoothGateway",
            ["ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport", "BLEWire"]),
        room("BLEDissection", ["BLEWire", "BLEAssignedNumbers", "BLEValues"]),
        // The packets of a `World`, decoded, for programs.
        room("BLEPacketDecoding", ["BLEDissection", "BLESimulator", "BLEExecution", "BLEWire"]),
        room(
            "ProfileServing",
            [
                "CoreBluetooth", "DeviceProfiles", "BLEValues", "BLEAssignedNumbers", "BLEAdapter", "BLESessions",
                "BLEWire",
            ]),
        room(
            "AdvertisementScanning",
            ["BLEAdapter", "BLEWire", "BLEAssignedNumbers", "BLEValues", "BLEBeacons", "BLERuntime"]),
        room("AttributeValues", ["CoreBluetooth", "BLEValues"]),
        // A Bluetooth adapter that publishes to an MQTT broker and takes commands from it.
        room(
            "CloudGateway",
            [
                "MQTTClient", "DurableQueue", "AdvertisementScanning", "BLEBeacons", "BLEValues", "BLEAssignedNumbers",
                "BLEAdapter", "BLETransport", "BLEWire", "LocalHTTP",
            ]),
        // Many such gateways with simulated devices, which load a broker.
        room("GatewayFleet", ["CloudGateway", "MQTTClient", "DurableQueue", "BLEAdapter", "BLETransport", "BLEWire"]),
        // The texts of the studio in both languages.
        room("StudioPhrases"),
        // HTTP/1.1 in the small: messages, a server and a client with limits, without TLS.
        room("LocalHTTP", ["BLETransport", "BLEWire"]),
        room("StudioServer", ["StudioPhrases", "LocalHTTP", "TLSChannel", "BLEAdapter", "BLETransport", crypto]),
        // Commands to many devices in datagrams, each carried out once by each device.
        room("DeviceGroup", ["NoiseChannel", "LocalDiscovery", crypto]),
        // Requests to a device over the best of several ways, each carried out once.
        room(
            "DeviceLink",
            [
                "CoreBluetooth", "BLETransport", "BLEWire", "LocalDiscovery", "LocalHTTP", "MQTTClient", "NoiseChannel",
                "QueueClocks",
            ]),
        // Improv Wi-Fi: the credentials of a network over Bluetooth, both ends.
        room("ImprovWiFi", ["CoreBluetooth", "BLEAdapter", "BLEWire", "QueueClocks", "SystemBus"]),
        // Calls of services on the system bus, without libdbus.
        room("SystemBus"),
        // The time of libraries with time limits: one public protocol.
        room("QueueClocks"),
        // Multicast DNS: services on the local network.
        room("LocalDiscovery"),
        room(
            "StudioRoom",
            [
                "CoreBluetooth", "BluetoothPairing", "BLESimulator", "BLEVirtualRadio", "BLEController", "BLECapture",
                "BLEAdapter", "BLEWire", "ProfileServing", "DeviceProfiles", "BLEDissection",
                "BLEValues", "YAMLDocuments", "ExamplePrograms", "StudioPhrases",
            ]),
        room(
            "StudioExplorer",
            [
                "CoreBluetooth", "BluetoothPairing", "AdvertisementScanning", "AttributeValues", "BLEValues",
                "BLEAssignedNumbers", "BLEDissection", "DeviceScripts", "DeviceProfiles", "BLEAdapter", "BLEWire",
                "StudioPhrases",
            ]),
        room(
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
                arguments,
            ],
            swiftSettings: settings),
        // Imports products only, as a program outside this package does.
        .executableTarget(
            name: "packet-list", dependencies: ["CoreBluetooth", "BLESimulator", "BLEPacketDecoding"],
            path: "Examples/packet-list", swiftSettings: settings),
        .executableTarget(
            name: "lamp-device",
            dependencies: ["LampPrograms", "ExamplePrograms", "CoreBluetooth", "DeviceLink", "ImprovWiFi"],
            path: "Examples/lamp-device", swiftSettings: settings),
        .executableTarget(
            name: "lamp-phone",
            dependencies: ["LampPrograms", "ExamplePrograms", "CoreBluetooth", "DeviceLink", "ImprovWiFi"],
            path: "Examples/lamp-phone", swiftSettings: settings),
        .executableTarget(
            name: "interop-peer", dependencies: ["CoreBluetooth", "BluetoothPairing"], path: "Interop/Peer",
            swiftSettings: settings),
        .executableTarget(
            name: "restart-peer", dependencies: ["CoreBluetooth"], path: "Interop/Restart", swiftSettings: settings),
        .executableTarget(
            name: "pdu-samples", dependencies: ["BLEWire", "BLECapture"], path: "Interop/Samples",
            swiftSettings: settings),

        // A device with the Improv service, for tests with other implementations.
        .executableTarget(
            name: "improv-peer", dependencies: ["ImprovWiFi", "CoreBluetooth"], path: "Interop/ImprovPeer",
            swiftSettings: settings),
        // Announces and finds services, for tests with other implementations.
        .executableTarget(
            name: "local-peer", dependencies: ["LocalDiscovery"], path: "Interop/LocalPeer", swiftSettings: settings),

        // Sets the environment of the test process, which is one for all test targets.
        .target(name: "QuietLog", path: "Tests/QuietLog"),
        // Waits for conditions, with a deadline.
        .target(name: "TestConditions", path: "Tests/TestConditions", swiftSettings: settings),
        // The virtual time of a world, for tests of libraries with clocks.
        .target(
            name: "WorldClock", dependencies: ["BLESimulator", "QueueClocks"], path: "Tests/WorldClock",
            swiftSettings: settings),
        tests("DurableQueueTests", ["DurableQueue"]),
        // A client of TLS with functions of its own, and certificates.
        .target(
            name: "TLSBench", dependencies: ["TLSChannel"], path: "Tests/TLSBench", swiftSettings: settings),
        tests("TLSChannelTests", ["TLSChannel", "TLSBench", "BLEWire"]),
        tests(
            "MQTTClientTests", ["MQTTClient", "TLSChannel", "TLSBench", "BLETransport", "BLEWire", "TestConditions"]),
        tests("BLEWireTests", ["BLEWire"]),
        tests("BLEAssignedNumbersTests", ["BLEAssignedNumbers", "BLEWire"]),
        tests("BLELinkTests", ["BLELink", "BLEWire"]),
        tests("BLEAttributeTests", ["BLEAttribute", "BLECrypto", "BLEWire"]),
        tests("BLECryptoTests", ["BLECrypto", "BLEWire"]),
        tests("BLESecurityTests", ["BLESecurity", "BLECrypto", "BLEWire"]),
        tests(
            "BLEHostTests",
            ["BLEHost", "BLEAttribute", "BLELink", "BLEController", "BLECrypto", "BLESecurity", "BLEWire"]),
        tests(
            "BLESessionsTests",
            [
                "BLESessions", "BLEAdapter", "BLEHost", "BLEAttribute", "BLELink", "BLEController", "BLECrypto",
                "BLESecurity",
                "BLEWire",
            ]),
        tests("BLEControllerTests", ["BLEController", "BLECrypto", "BLEWire"]),
        // Hosts and controllers with a bad wire between them; `fault-soak` is the long run.
        .target(
            name: "FaultBench",
            dependencies: ["BLEHost", "BLEAttribute", "BLELink", "BLEController", "BLECrypto", "BLEWire"],
            path: "Tests/FaultBench", swiftSettings: settings),
        .target(name: "CFaultHeap", path: "Tests/FaultHeap"),
        .executableTarget(
            name: "fault-soak",
            dependencies: [
                "FaultBench", "CFaultHeap", "CoreBluetooth", "BLESimulator", "BLEAdapter", "BLEStore", "BLEHostAdapter",
                "BLERuntime",
                "BLEExecution",
                "BLEHost", "BLEController", "BLECrypto",
                "BLETransport",
                "BLEWire", log,
            ],
            path: "Tests/FaultSoak", exclude: ["Mutants"], swiftSettings: settings),
        tests("FaultTests", ["FaultBench", "BLEHost", "BLEWire"]),
        tests("BLETransportTests", ["BLETransport", "BLEWire", "CLinuxBluetooth", "TestConditions"]),
        tests("BLEAdapterTests", ["BLEAdapter", log]),
        // Changes a store and ends after a given number of system calls.
        .executableTarget(
            name: "store-crash", dependencies: ["BLEStore", "BLEAdapter", "BLESecurity", "BLEWire"],
            path: "Tests/StoreCrash", swiftSettings: settings),
        tests(
            "BLEStoreTests",
            ["BLEStore", "BLEAdapter", "BLESecurity", "BLEWire", "TestConditions", "store-crash", log]),
        tests("BLECaptureTests", ["BLECapture", "BLEAdapter", "BLECrypto", "BLETransport", "BLEWire"]),
        tests(
            "BLEVirtualRadioTests",
            [
                "BLEVirtualRadio", "BLEExecution", "BLEAdapter", "BLEController", "BLETransport", "BLEWire",
                "TestConditions",
            ]),
        tests(
            "BLESharedRadioTests", ["BLESharedRadio", "BLEHostAdapter", "BLERuntime", "BLETransport"]),
        tests(
            "BLERuntimeTests",
            [
                "BLEExecution", "BLEVirtualRadio", "BLEAdapter", "BLESessions", "BLEStore", "BLEHostAdapter",
                "BLERuntime", "BLEHost",
                "BLEController", "BLECrypto",
                "BLETransport", "BLEWire", log, "LocalDiscovery", "TestConditions", "BLEGatewayAdapter", "ESPHomeAPI",
                "NoiseChannel",
            ]),
        tests(
            "BLESimulatorTests",
            [
                "BLESimulator", "BLESharedRadio", "BLEVirtualRadio", "BLEExecution", "BLEAdapter", "BLECapture",
                "BLEStore", "BLEHostAdapter", "BLERuntime",
                "BLEHost", "BLEController", "BLECrypto", "BLETransport", "BLEWire", "TestConditions",
            ]),
        tests(
            "CoreBluetoothTests",
            [
                "CoreBluetooth", "BLEAttribute", "BLEController", "BLEHost", "BLESimulator", "BLEVirtualRadio",
                "BLEAdapter", "BLEStore", "BLEHostAdapter",
                "BLERuntime", "BLESecurity", "BLEWire", "BLETransport", "BLEGatewayAdapter", "BluetoothGateway",
                "ESPHomeAPI",
                "NoiseChannel", "TestConditions", "restart-peer",
            ]),
        tests(
            "BluetoothPairingTests",
            [
                "BluetoothPairing", "CoreBluetooth", "BLESimulator", "BLEAdapter", "BLESecurity", "BLEWire",
                "TestConditions",
            ]),
        tests("BLEValuesTests", ["BLEValues", "BLEWire"]),
        tests("BLEBeaconsTests", ["BLEBeacons", "BLEController", "BLESimulator", "BLEWire", "CoreBluetooth"]),
        tests("BLETransferTests", ["BLETransfer", "CoreBluetooth", "BLESimulator", "WorldClock", crypto]),
        tests("YAMLDocumentsTests", ["YAMLDocuments"]),
        tests("DeviceProfilesTests", ["DeviceProfiles", "YAMLDocuments", "BLEValues", "BLEWire"]),
        tests("DeviceScriptsTests", ["DeviceScripts", "BLEValues", "YAMLDocuments"]),
        tests("PlotsTests", ["Plots"]),
        tests("ImprovWiFiTests", ["ImprovWiFi", "CoreBluetooth", "BLESimulator", "BLEWire", "WorldClock"]),
        tests("SystemBusTests", ["SystemBus"]),
        tests("DeviceGroupTests", ["DeviceGroup", "LocalDiscovery", "NoiseChannel"]),
        tests(
            "DeviceLinkTests",
            [
                "DeviceLink", "CoreBluetooth", "BLESimulator", "BLETransport", "BLEWire", "LocalDiscovery", "LocalHTTP",
                "MQTTClient", "NoiseChannel", "WorldClock",
            ]),
        tests("LocalDiscoveryTests", ["LocalDiscovery"]),
        tests("NoiseChannelTests", ["NoiseChannel", "BLEWire"]),
        tests("ESPHomeAPITests", ["ESPHomeAPI", "NoiseChannel", "BLEWire"]),
        tests("StudioPhrasesTests", ["StudioPhrases", "CoreBluetooth"]),
        tests("LocalHTTPTests", ["LocalHTTP", "BLETransport", "BLEWire"]),
        tests(
            "StudioServerTests",
            [
                "StudioServer", "StudioPhrases", "LocalHTTP", "TLSChannel", "TLSBench", "BLEAdapter", "BLETransport",
                "BLEWire", "TestConditions",
            ]),
        tests(
            "BluetoothGatewayTests",
            [
                "BluetoothGateway", "ESPHomeAPI", "NoiseChannel", "BLEAdapter", "BLESecurity", "BLETransport",
                "BLEWire",
            ]),
        tests("BLEDissectionTests", ["BLEDissection", "BLEWire", "pdu-samples"]),
        tests("BLEPacketDecodingTests", ["BLEPacketDecoding", "BLESimulator", "CoreBluetooth", "packet-list"]),
        tests(
            "ProfileServingTests",
            [
                "ProfileServing", "DeviceProfiles", "CoreBluetooth", "BLESimulator", "BLEAdapter", "BLEWire",
                "ExamplePrograms",
            ]),
        tests(
            "CloudGatewayTests",
            [
                "CloudGateway", "MQTTClient", "DurableQueue", "BLEAdapter", "BLETransport", "BLEWire", "LocalHTTP",
                "TestConditions",
            ]),
        tests("GatewayFleetTests", ["GatewayFleet", "CloudGateway", "MQTTClient", "BLEAdapter", "BLEWire"]),
        tests("AdvertisementScanningTests", ["AdvertisementScanning", "BLEAdapter", "BLESimulator", "BLEWire"]),
        tests(
            "StudioRoomTests",
            [
                "StudioRoom", "StudioPhrases", "BLESimulator", "CoreBluetooth", "BLEDissection", "BLEValues",
                "DeviceProfiles", "ProfileServing", "BLEAdapter", "BLECapture", "BLEWire", "TestConditions",
            ]),
        tests(
            "StudioExplorerTests",
            [
                "StudioExplorer", "StudioPhrases", "AdvertisementScanning", "BLESimulator", "BLEAdapter", "BLEWire",
                "CoreBluetooth", "BluetoothPairing", "ProfileServing", "DeviceProfiles", "BLETransfer", "ImprovWiFi",
                "DeviceLink", "WorldClock",
            ]),
        tests(
            "StudioTests",
            [
                "Studio", "StudioPhrases", "StudioServer", "StudioRoom", "StudioExplorer", "BLESimulator",
                "BLEDissection", "BLEAdapter", "BLERuntime", "BLEValues", "BLEWire",
                "DeviceProfiles", "ProfileServing", "YAMLDocuments", "TestConditions",
            ]),
        tests("ExampleTests", ["ExamplePrograms", "CoreBluetooth", "BLESimulator", "BLEAdapter"]),
        // In the language mode of most packages of that kind.
        .testTarget(
            name: "ClientStyleTests",
            dependencies: ["ExamplePrograms", "CoreBluetooth", "BLESimulator", "TestConditions"],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        tests(
            "BluelabTests",
            [
                "bluelab", "walkthrough", "wristband", "CoreBluetooth", "BluetoothPairing", "BLESimulator",
                "AdvertisementScanning", "AttributeValues", "BLEValues", "DeviceProfiles", "DeviceLink",
                "LampPrograms", "MQTTClient", "YAMLDocuments", "BLEAdapter", "BLEDissection",
                "BLEVirtualRadio",
                "BLEHostAdapter", "BLERuntime",
                "BLETransport", "BLEWire", "TestConditions",
            ]),
    ] + examples.map(example)
)

// With OPENCOREBLUETOOTH_OPTIMIZED, a debug build optimizes the targets that use most of the time of the tests, and keeps their assertions. The tests
// then take half of the time. A variable is the only way: SwiftPM refuses such flags in a dependency with a version.
if Context.environment["OPENCOREBLUETOOTH_OPTIMIZED"] != nil {
    let busy: Set = [
        "BLEWire", "BLELink", "BLEAttribute", "BLEHost", "BLESessions", "BLEHostAdapter", "BLEController",
        "BLEVirtualRadio", "FaultBench", "BLEDissection", "StudioRoom", "LocalDiscovery",
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
    var waiting = chosen.split(separator: ",").map(String.init)
    while let name = waiting.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("OPENCOREBLUETOOTH_TESTS names \(name), which is no target of this package.")
        }
        guard needed.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies { waiting.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
