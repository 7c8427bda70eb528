// swift-tools-version: 5.9
import PackageDescription

// A LEGO hub, with the messages of BoostBLEKit. Documentation/OtherPackages.md has the commands.
let package = Package(
    name: "lego-hub",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(
            url: "https://github.com/bricklife/BoostBLEKit",
            revision: "5140015c32ef021d3038477b3df5bd2e4cfc670d")
    ],
    targets: [
        .executableTarget(name: "lego-hub", dependencies: [.product(name: "BoostBLEKit", package: "BoostBLEKit")])
    ]
)
