// swift-tools-version: 5.9
import PackageDescription

// A firmware update with the library of nRF Connect Device Manager. Documentation/OtherPackages.md has the commands.
let package = Package(
    name: "nrf-mcumgr",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(
            url: "https://github.com/NordicSemiconductor/IOS-nRF-Connect-Device-Manager",
            revision: "54e9b8a59e625f58e16e25f74a4e011473541940")
    ],
    targets: [
        .executableTarget(
            name: "nrf-mcumgr",
            dependencies: [.product(name: "iOSMcuManagerLibrary", package: "IOS-nRF-Connect-Device-Manager")])
    ]
)
