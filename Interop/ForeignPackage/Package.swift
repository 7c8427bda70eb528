// swift-tools-version: 5.9
import PackageDescription

// Stands for somebody else's package: written for Apple's systems, it names no dependency, since there the system has all it imports.
let package = Package(
    name: "Beacons",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Beacons", targets: ["Beacons"])],
    targets: [
        .target(name: "Beacons"),
        .executableTarget(name: "beacons-demo", dependencies: ["Beacons"]),
        .testTarget(name: "BeaconsTests", dependencies: ["Beacons"]),
    ]
)
