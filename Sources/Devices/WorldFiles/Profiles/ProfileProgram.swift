import DeviceFiles
import Foundation
import Phrases

/// Serves a profile on a device of the world. Values change with virtual time, so a repeated run has the same values.
///
/// The action `apply` takes `{"yaml": TEXT}` and replaces the profile while the program runs.
package final class ProfileProgram: WorldProgram {
    /// The largest profile in octets. A room keeps the text of each change.
    package static let textLimit = 128 << 10
    private let context: WorldProgramContext
    /// The virtual time of the program's start.
    private let began: Duration
    private var server: ProfileServer!
    private var text: String
    private var log = ProfileServerLog()

    /// - Parameter text: A profile as YAML.
    /// - Throws: `PhrasedError` for a text that is not a profile.
    package init(_ context: WorldProgramContext, profile text: String) throws {
        self.context = context
        self.text = text
        began = context.now()
        let (now, began) = (context.now, began)
        server = ProfileServer(
            try Self.profile(text),
            now: {
                let time = now()
                return ProfileTime(elapsed: time - began, localSeconds: WorldScene.firstSecond + time / .seconds(1))
            },
            report: { [weak self] in self?.handle($0) })
        server.onDeadlineChange = context.deadlineChanged
    }

    /// Parses a profile.
    ///
    /// - Throws: `PhrasedError` for a text that is not a profile.
    package static func profile(_ text: String) throws -> DeviceProfile {
        guard text.utf8.count <= textLimit else {
            throw PhrasedError(
                "profile-too-long",
                Phrase(
                    "The profile has \(text.utf8.count) octets; at most \(textLimit) are possible.",
                    "配置文件有 \(text.utf8.count) 字节，最多只能有 \(textLimit) 字节。"))
        }
        do throws(YAMLError) {
            return try DeviceProfile(text: text, file: "profile")
        } catch {
            throw PhrasedError(profile: error)
        }
    }

    // MARK: WorldProgram

    package func start() { server.start(queue: context.queue) }

    package func stop() { server.stop() }

    package func perform(_ action: String, with arguments: WorldValue) throws -> WorldValue {
        guard action == "apply", let text = arguments["yaml"]?.string else { throw PhrasedError.unknownAction(action) }
        let profile = try Self.profile(text)
        self.text = text
        context.report(ProgramEvent(.note, .profileApplied))
        server.apply(profile)
        context.changed()
        return ["name": profile.advertising.localName.map { .string($0) } ?? .null]
    }

    package var nextDeadline: Duration? { server.nextDeadline.map { began + $0 } }

    package func tick() { server.tick() }

    /// The state for the page.
    package struct State: Codable, Hashable, Sendable {
        /// The advertised name.
        package let name: String?
        package let summary: String?
        package let isAdvertising: Bool
        /// The number of subscriptions.
        package let subscriptions: Int
        /// The profile.
        package let yaml: String
    }

    package var snapshot: (any Encodable & Sendable)? {
        let profile = server.state.profile
        return State(
            name: profile.advertising.localName, summary: profile.summary, isAdvertising: log.isAdvertising,
            subscriptions: log.subscriptions, yaml: text)
    }

    private func handle(_ event: ServerEvent) {
        if let happening = log.happening(event, at: context.now()) { context.report(happening) }
        context.changed()
    }
}
