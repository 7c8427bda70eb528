import Testing

@testable import UIKit

@MainActor @Suite(.serialized) struct UIApplicationTests {
    @MainActor private final class Recorder {
        private var tokens: [any NSObjectProtocol] = []
        private(set) var seen: [String] = []

        init() {
            let names = [
                UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
                UIApplication.willEnterForegroundNotification, UIApplication.didBecomeActiveNotification,
            ]
            for name in names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: UIApplication.shared, queue: nil) {
                        [weak self] notification in
                        MainActor.assumeIsolated {
                            self?.seen.append("\(name.rawValue) \(UIApplication.shared.applicationState)")
                        }
                        #expect(notification.object is UIApplication)
                    })
            }
        }
        func take() -> [String] {
            defer { seen = [] }
            return seen
        }
        func stop() { tokens.forEach(NotificationCenter.default.removeObserver) }
    }

    @Test func aLibrarySeesTheWayToTheBackgroundAndBack() {
        let application = UIApplication.shared
        #expect(application.applicationState == .active)
        let recorder = Recorder()
        for _ in 0..<2 {
            application.moveToForeground()
            #expect(recorder.seen.isEmpty)
            application.moveToBackground()
            application.moveToBackground()
            #expect(application.applicationState == .background)
            application.moveToForeground()
            #expect(application.applicationState == .active)
            #expect(
                recorder.take() == [
                    "UIApplicationWillResignActiveNotification active",
                    "UIApplicationDidEnterBackgroundNotification background",
                    "UIApplicationWillEnterForegroundNotification background",
                    "UIApplicationDidBecomeActiveNotification active",
                ])
        }
        recorder.stop()
    }

    @Test func everyTaskHasAnIdentifierOfItsOwn() {
        let first = UIApplication.shared.beginBackgroundTask { Issue.record("the time has no limit") }
        let second = UIApplication.shared.beginBackgroundTask(withName: "transfer")
        #expect(Set([first, second, .invalid]).count == 3)
        UIApplication.shared.endBackgroundTask(first)
        UIApplication.shared.endBackgroundTask(first)
        let third = UIApplication.shared.beginBackgroundTask(expirationHandler: nil)
        #expect(third != first && third != second)
        #expect(UIApplication.shared.backgroundTimeRemaining > 1_000_000)
    }

    @Test func linuxOpensNoSettings() async throws {
        let url = try #require(URL(string: UIApplication.openSettingsURLString))
        #expect(!UIApplication.shared.canOpenURL(url))
        let opened = await withCheckedContinuation { continuation in
            UIApplication.shared.open(url) { continuation.resume(returning: $0) }
        }
        #expect(!opened)
        UIApplication.shared.open(url)
    }
}

@MainActor @Suite struct UIDeviceTests {
    @Test func theDeviceIsThisMachine() throws {
        let device = UIDevice.current
        #expect(device.systemName == "Linux")
        #expect(device.name == ProcessInfo.processInfo.hostName)
        #expect(!device.model.isEmpty && device.model == device.localizedModel)
        #expect(device.systemVersion.split(separator: ".").compactMap { Int($0) }.count == 3)
        let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
        #expect((device.identifierForVendor == nil) == machine.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty)
        #expect(
            device.identifierForVendor?.uuidString.lowercased().filter { $0 != "-" } != machine.prefix(32).lowercased())
    }

    @Test func anIdentifierBelongsToAMachineAndAProgram() throws {
        let identifier = try #require(UIDevice.identifier(machine: "m", program: "p"))
        #expect(UIDevice.identifier(machine: "m", program: "p") == identifier)
        #expect(UIDevice.identifier(machine: "n", program: "p") != identifier)
        #expect(UIDevice.identifier(machine: "m", program: "q") != identifier)
        #expect(UIDevice.identifier(machine: "", program: "p") == nil)
        #expect(Array(identifier.uuidString)[14] == "8")
        #expect("89AB".contains(Array(identifier.uuidString)[19]))
    }
}

@MainActor @Suite struct UIDocumentTests {
    @Test(arguments: [
        ("a/firmware.ZIP", "firmware", "public.zip-archive"), ("a/notes.tar.json", "notes.tar", "public.json"),
        ("plain", "plain", "public.data"), ("/", "/", "public.folder"),
    ]) func theNameOfTheFileGivesItsType(path: String, name: String, type: String) {
        let document = UIDocument(fileURL: URL(fileURLWithPath: path))
        #expect(document.localizedName == name)
        #expect(document.fileType == type)
    }

    @Test func anUnknownExtensionHasATypeOfItsOwn() {
        let type = UIDocument(fileURL: URL(fileURLWithPath: "a.firmwarepart")).fileType
        #expect(type?.hasPrefix("dyn.") == true)
        #expect(type == UIDocument(fileURL: URL(fileURLWithPath: "b.FirmwarePart")).fileType)
    }
}
