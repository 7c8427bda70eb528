// swift-tools-version: 5.9
import PackageDescription

// A lamp in a mesh, with Nordic's mesh library. Documentation/OtherPackages.md has the commands.
let package = Package(
    name: "nordic-mesh",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(
            url: "https://github.com/NordicSemiconductor/IOS-nRF-Mesh-Library",
            revision: "9eacb787982980fb28a85d0bd2f805909885e84e")
    ],
    targets: [
        .executableTarget(
            name: "nordic-mesh", dependencies: [.product(name: "NordicMesh", package: "IOS-nRF-Mesh-Library")])
    ]
)
