// swift-tools-version: 5.9
import PackageDescription

// A firmware update with Nordic's DFU library. Documentation/OtherPackages.md has the commands.
let package = Package(
    name: "nordic-dfu",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(
            url: "https://github.com/NordicSemiconductor/IOS-DFU-Library",
            revision: "43de982ac8bd792c8c72870ac541c2083f7fb7a3")
    ],
    targets: [
        .executableTarget(
            name: "nordic-dfu", dependencies: [.product(name: "NordicDFU", package: "IOS-DFU-Library")])
    ]
)
