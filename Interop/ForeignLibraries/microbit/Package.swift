// swift-tools-version: 5.9
import PackageDescription

// A BBC micro:bit, with microbit-swift-controller. Documentation/OtherPackages.md has the commands.
let package = Package(
    name: "microbit",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [
        .package(
            url: "https://github.com/ynagatomo/microbit-swift-controller",
            revision: "f59adf2ad5532bf58d9957a0829c29e676232705")
    ],
    targets: [
        .executableTarget(
            name: "microbit",
            dependencies: [.product(name: "MicrobitSwiftController", package: "microbit-swift-controller")])
    ]
)
