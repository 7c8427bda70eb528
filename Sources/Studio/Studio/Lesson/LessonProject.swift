/// A program of the lesson as a Swift package of its own: its files, and the commands that write and run it.
///
/// The program has both sides of the radio, so that it runs without an adapter.
struct LessonProject: Encodable, Sendable {
    struct File: Encodable, Sendable {
        var name: String
        var text: String
    }

    /// The name of the short program: forty lines, and a device to try them with.
    static let short = "Pulse"

    /// The folder of the package.
    var folder = "hello"
    var files: [File]
    /// The lines of `main.swift`.
    var lines: Int
    /// The folder of the checkout that the package depends on; nil for the public repository.
    var checkout: String?
    /// Runs the program on a radio inside it.
    var run = "BLUETOOTH_CONTROLLER=virtual swift run"
    /// Runs the program with an adapter of the machine.
    var runWithAdapter = "swift run"
    /// Commands for a shell that write all files and run the program.
    var script: String

    /// Nil for an unknown program.
    ///
    /// - Parameter checkout: The folder of the package that the studio was built in; nil if it was installed.
    init?(_ name: String, checkout: String? = nil) {
        let products: [String]
        let sources: [File]
        if name == Self.short {
            products = ["CoreBluetooth"]
            sources = LessonSources.short.map { File(name: "Sources/hello/\($0.name)", text: $0.text + "\n") }
        } else {
            guard let copy = LessonSources.copies[name], let program = LessonSources.program(name) else { return nil }
            let imports = copy.files.flatMap { LessonSources.files[$0]?.imports ?? [] }
            products = ["CoreBluetooth", "BluetoothPairing"].filter(imports.contains)
            sources = [File(name: "Sources/hello/main.swift", text: program)]
        }
        self.checkout = checkout
        lines = sources[0].text.count { $0 == "\n" }
        files = [File(name: "Package.swift", text: Self.manifest(products, checkout))] + sources
        var commands = ["mkdir -p \(folder)/Sources/hello", "cd \(folder)"]
        for file in files {
            commands.append("cat > \(file.name) <<'END_OF_FILE'\n\(file.text)END_OF_FILE")
        }
        script = (commands + [run]).joined(separator: "\n") + "\n"
    }

    private static func manifest(_ products: [String], _ checkout: String?) -> String {
        let dependencies = products.map { product in
            "                .product(name: \"\(product)\", package: \"OpenCoreBluetooth\"),\n"
        }
        let package =
            checkout.map { #".package(name: "OpenCoreBluetooth", path: "\#($0)")"# }
            ?? #".package(url: "https://github.com/OpenCoreBluetooth/OpenCoreBluetooth", branch: "main")"#
        return """
            // swift-tools-version: 6.3
            import PackageDescription

            let package = Package(
                name: "hello",
                dependencies: [
                    \(package)
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
