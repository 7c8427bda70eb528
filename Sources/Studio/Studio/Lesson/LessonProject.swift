/// A program of the lesson as a Swift package of its own: its files, and the commands that write and run it.
///
/// The program has both sides of the radio, so that it runs without an adapter.
struct LessonProject: Encodable, Sendable {
    struct File: Encodable, Sendable {
        var name: String
        var text: String
    }

    /// The folder of the package.
    var folder = "hello"
    var files: [File]
    /// Runs the program on a radio inside it.
    var run = "BLUETOOTH_CONTROLLER=virtual swift run"
    /// Runs the program with an adapter of the machine.
    var runWithAdapter = "swift run"
    /// Commands for a shell that write all files and run the program.
    var script: String

    /// Nil for an unknown program.
    init?(_ name: String) {
        guard let copy = LessonSources.copies[name], let program = LessonSources.program(name) else { return nil }
        let imports = copy.files.flatMap { LessonSources.files[$0]?.imports ?? [] }
        let products = ["CoreBluetooth", "BluetoothPairing"].filter(imports.contains)
        files = [
            File(name: "Package.swift", text: Self.manifest(products)),
            File(name: "Sources/hello/main.swift", text: program),
        ]
        var commands = ["mkdir -p \(folder)/Sources/hello", "cd \(folder)"]
        for file in files {
            commands.append("cat > \(file.name) <<'END_OF_FILE'\n\(file.text)END_OF_FILE")
        }
        script = (commands + [run]).joined(separator: "\n") + "\n"
    }

    private static func manifest(_ products: [String]) -> String {
        let dependencies = products.map { product in
            "                .product(name: \"\(product)\", package: \"OpenCoreBluetooth\"),\n"
        }
        return """
            // swift-tools-version: 6.3
            import PackageDescription

            let package = Package(
                name: "hello",
                dependencies: [
                    .package(url: "https://github.com/OpenCoreBluetooth/OpenCoreBluetooth", branch: "main")
                ],
                targets: [
                    .executableTarget(
                        name: "hello",
                        dependencies: [
            \(dependencies.joined().dropLast())
                        ])
                ]
            )

            """
    }
}
