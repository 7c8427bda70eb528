import ArgumentParser
import Foundation
import Studio
import StudioServer

struct StudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Open a page in the browser that shows devices, the radio between them and every packet.",
        discussion: """
            Example: bluelab studio

            The page runs on a virtual radio and needs no hardware. Only programs of this machine reach it, and only with the \
            token in its link. Ctrl-C ends it.
            """)

    @Option(help: ArgumentHelp("The port of the page; 0 selects a free one.", valueName: "number"))
    var port: UInt16 = 8420

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true

    @Option(help: .hidden)
    var page: String?

    @OptionGroup var color: ColorOptions

    func run() async throws {
        let studio = Studio()
        let server = try StudioWebServer(
            hub: studio.hub, port: port, token: Self.makeToken(), folder: page.map { URL(fileURLWithPath: $0) })
        let serving = Task { try await server.run() }
        let interruption = Interruption()
        let terminal = color.terminal()
        terminal.print("\(terminal.styled(try await server.link(), .bold))  opens the studio")
        terminal.print("Ctrl-C ends it.")
        terminal.flush()
        await interruption.wait()
        serving.cancel()
    }

    /// 128 random bits as hexadecimal digits.
    private static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
