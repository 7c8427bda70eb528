// swift-tools-version: 5.9
import PackageDescription

// An example of a package for Apple's systems: it has no dependencies, because the system provides the modules that it imports.
let package = Package(
    name: "Beacons",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Beacons", targets: ["Beacons"])],
    targets: [
        .target(name: "Beacons"),
        .target(name: "Numbers"),
        .target(name: "Surroundings"),
        .executableTarget(name: "beacons-demo", dependencies: ["Beacons"]),
        .testTarget(name: "BeaconsTests", dependencies: ["Beacons", "Numbers", "Surroundings"]),
    ]
)
