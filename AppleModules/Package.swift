// swift-tools-version: 6.3
import PackageDescription

// Modules that programs for Apple's systems import beside CoreBluetooth, for Linux. A package of its own, because a module of
// such a name changes what `#if canImport(os)` means in every package of a build; see Documentation/OtherPackages.md.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let bluetooth: Target.Dependency = .product(name: "CoreBluetooth", package: "OpenCoreBluetooth")
let beacons: Target.Dependency = .product(name: "BLEBeacons", package: "OpenCoreBluetooth")
let simulator: Target.Dependency = .product(name: "BLESimulator", package: "OpenCoreBluetooth")
let combine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"].map {
    .product(name: $0, package: "OpenCombine")
}

let package = Package(
    name: "AppleModules",
    products: [
        .library(name: "Combine", targets: ["Combine"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "ObjectiveC", targets: ["ObjectiveC", "AppleNames"]),
        .library(name: "os", targets: ["os", "OSLog"]),
        .library(name: "CommonCrypto", targets: ["CommonCrypto", "CommonCryptoFunctions"]),
        .library(name: "CryptoKit", targets: ["CryptoKit"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "UIKit", targets: ["UIKit", "_Testing_UIKit"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .library(name: "simd", targets: ["simd"]),
        // All of it in one file, for Scripts/build-with-corebluetooth.
        .library(name: "AppleModules", type: .dynamic, targets: ["AppleModules"]),
    ],
    dependencies: [
        .package(name: "OpenCoreBluetooth", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .target(name: "CAppleNames"),
        .target(name: "AppleImports", swiftSettings: settings),
        // What Foundation brings on Apple's systems and not on Linux.
        .target(name: "AppleNames", dependencies: ["CAppleNames"], swiftSettings: settings),
        // Timers, notifications and delayed calls for methods in place of selectors: see Scripts/without-objective-c.
        .target(name: "SelectorNames", swiftSettings: settings),
        // What Dispatch brings there.
        .target(name: "DispatchNames", dependencies: [bluetooth], swiftSettings: settings),
        .target(name: "ObjectiveC", dependencies: ["AppleNames"], swiftSettings: settings),
        .target(name: "CUnfairLock"),
        .target(name: "os", dependencies: ["CUnfairLock", log], swiftSettings: settings),
        .target(name: "OSLog", dependencies: ["os"], swiftSettings: settings),
        .target(name: "Combine", dependencies: combine + [bluetooth], swiftSettings: settings),
        .target(name: "CoreLocation", dependencies: [beacons], swiftSettings: settings),
        // A C module, and the part of it that Swift implements. Only targets that depend on a C module can import it, so it does not change
        // what swift-crypto's `#if canImport(CommonCrypto)` means.
        .target(name: "CommonCrypto"),
        .target(
            name: "CommonCryptoFunctions",
            dependencies: ["CommonCrypto", crypto, .product(name: "CryptoExtras", package: "swift-crypto")],
            swiftSettings: settings),
        .target(name: "CryptoKit", dependencies: [crypto], swiftSettings: settings),
        .target(name: "Security", dependencies: [crypto], swiftSettings: settings),
        .target(name: "UIKit", dependencies: ["UniformTypeIdentifiers", crypto], swiftSettings: settings),
        .target(name: "_Testing_UIKit", swiftSettings: settings),
        .target(name: "UniformTypeIdentifiers", swiftSettings: settings),
        .target(name: "simd", swiftSettings: settings),
        .target(
            name: "AppleModules",
            dependencies: [
                "AppleImports", "AppleNames", "DispatchNames", "Combine", "CoreLocation", "ObjectiveC", "SelectorNames",
                "os", "OSLog", "CommonCrypto", "CommonCryptoFunctions", "CryptoKit", "Security", "UIKit",
                "_Testing_UIKit",
                "UniformTypeIdentifiers", "simd", bluetooth, simulator,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ObjectiveCTests", dependencies: ["ObjectiveC", "AppleNames", "DispatchNames", bluetooth],
            swiftSettings: settings),
        .testTarget(
            name: "CoreLocationTests", dependencies: ["CoreLocation", bluetooth, simulator], swiftSettings: settings),
        .testTarget(name: "SelectorTests", dependencies: ["SelectorNames"], swiftSettings: settings),
        .testTarget(name: "OSTests", dependencies: ["os", "OSLog", log], swiftSettings: settings),
        .testTarget(
            name: "CommonCryptoTests", dependencies: ["CommonCrypto", "CommonCryptoFunctions"], swiftSettings: settings),
        .testTarget(name: "SecurityTests", dependencies: ["CryptoKit", "Security"], swiftSettings: settings),
        .testTarget(name: "UIKitTests", dependencies: ["UIKit", "_Testing_UIKit"], swiftSettings: settings),
        .testTarget(
            name: "UniformTypeIdentifiersTests", dependencies: ["UniformTypeIdentifiers"], swiftSettings: settings),
        .testTarget(name: "SimdTests", dependencies: ["simd"], swiftSettings: settings),
        // In the language mode of most packages that use Combine.
        .testTarget(
            name: "CombineTests", dependencies: ["Combine", bluetooth, simulator],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    ]
)
