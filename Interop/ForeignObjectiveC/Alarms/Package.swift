// swift-tools-version: 5.9
import PackageDescription

// An example of a package that needs Objective-C: Scripts/build-with-corebluetooth builds it with --without-objective-c.
let package = Package(
    name: "Alarms",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Alarms", targets: ["Alarms"])],
    dependencies: [.package(path: "../Parts")],
    targets: [
        .target(name: "Alarms", dependencies: [.product(name: "AlarmParts", package: "Parts")]),
        .executableTarget(name: "alarms-demo", dependencies: ["Alarms"]),
        .testTarget(name: "AlarmsTests", dependencies: ["Alarms"]),
    ]
)
