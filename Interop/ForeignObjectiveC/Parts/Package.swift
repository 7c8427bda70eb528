// swift-tools-version: 5.9
import PackageDescription

// A package that the other one names by its path.
let package = Package(
    name: "Parts",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "AlarmParts", targets: ["AlarmParts"])],
    targets: [.target(name: "AlarmParts")]
)
