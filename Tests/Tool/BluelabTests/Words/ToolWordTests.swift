import Foundation
import Phrases
import TestConditions
import Testing

@testable import BluetoothPairing
@testable import bluelab

private func hasHan(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
}

/// Every text of the tool has a Chinese form.
@Suite struct ToolWordTests {
    /// All commands with their paths.
    private static func commands(
        _ command: CommandDescription, _ path: String = ""
    ) -> [(path: String, command: CommandDescription)] {
        let path = path + " " + command.commandName
        return [(path, command)] + (command.subcommands ?? []).flatMap { commands($0, path) }
    }

    @Test func everyHelpTextHasAChineseOne() throws {
        var count = 0
        for (path, command) in Self.commands(try #require(CommandDescription.all)) {
            let texts = [command.abstract, command.discussion] + (command.arguments ?? []).map(\.abstract)
            for line in texts.compactMap(\.self).flatMap({ ChineseHelp.translated($0) }) {
                count += 1
                #expect(hasHan(ToolWords.phrase(line).inChinese), "\(path): no Chinese for \"\(line)\" in Words")
            }
        }
        #expect(count > 400)
    }

    @Test func everyExitCodeHasChineseWords() {
        for kind in ToolError.Kind.allCases { #expect(hasHan(ToolWords.phrase(kind.meaning).inChinese), "\(kind)") }
        #expect(
            ChineseHelp.translation(ofParagraph: "Exit codes: 0 success").hasPrefix("退出码：0 成功，1 失败，2 参数无效"))
    }

    /// The calls whose texts users see.
    private static let calls = ["ToolError", "ValidationError", "printError", "say", "Finding", "emit", "print"]
    /// Calls in these whose texts are names of JSON, or that only style or join.
    private static let skipped = ["jsonLine", "joined", "ServedRecord"]
    /// Texts that are put together. The whole ones are tested below.
    private static let parts: Set<String> = [
        "{} {} in {} s", "{} {} in {} s, {} connectable", ":true}'", ": give {}).", "{} the region {}{}",
        "{}The profiles are {}.", "{}The worlds are {}.",
        "advertising {}", "client-", "client-  ", "update  ", "{} of virtual time{}", "notifications of {} are {}",
        "wrote {}: {}",
    ]
    /// What stands in front of a command, which is the same in both languages.
    private static let commandWords = [
        "sudo ", "bluelab ", "export ", "unset ", "rfkill ", "docker ", "kill ", "ls ", "Try: ",
    ]

    /// The words themselves, and the tools for assistants, which are English.
    private static func isExempt(_ file: URL) -> Bool { file.path.contains("/Words/") || file.path.contains("/MCP/") }

    /// Whether something remains without names, options and values.
    private static func hasWords(_ text: String) -> Bool {
        text.replacing(/bluelab( demo| radio)?: |--[a-z-]+|[A-Z]\w*|\{\w*\}/, with: "").contains { $0.isLetter }
    }

    @Test func everyErrorHasAChineseSentence() throws {
        let folder = projectRoot.appending(path: "Sources/Tool/bluelab")
        let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in all where file.pathExtension == "swift" && !Self.isExempt(file) {
            var source = SwiftLiterals(try String(contentsOf: file, encoding: .utf8))
            for text in source.literals(of: Self.calls, except: Self.skipped) where text.contains(/[a-z]{2}/) {
                guard !Self.commandWords.contains(where: text.hasPrefix), !Self.parts.contains(text) else { continue }
                // The codes of a terminal have no words.
                guard Self.hasWords(text), !text.contains("u{1B}[") else { continue }
                count += 1
                let sample = text.replacing("{}", with: "1")
                let chinese = ToolWords.phrase(sample).inChinese
                #expect(hasHan(chinese), "\(file.lastPathComponent): no Chinese for \"\(text)\" in Words")
            }
        }
        #expect(count > 250)
    }

    /// Each line of the demo, which is a program of its own and takes its words from the tool.
    @Test func everyLineOfTheDemoIsChinese() throws {
        let path = projectRoot.appending(path: "Examples/ExamplePrograms/Demo/DemoRun.swift")
        var source = SwiftLiterals(try String(contentsOf: path, encoding: .utf8))
        let texts = source.literals(of: ["say", "problems.append"]).filter { $0.contains(/[a-z]{2}/) && $0 != ", " }
        #expect(texts.count >= 8)
        for text in texts {
            #expect(hasHan(ToolWords.phrase(text.replacing("{}", with: "1")).inChinese), "no Chinese for \"\(text)\"")
        }
    }

    /// What the radio of another target refuses.
    @Test func everyRefusalOfARadioIsChinese() throws {
        var count = 0
        for path in [
            "Radio/BLEVirtualRadio/Shared/RadioControl.swift",
            "Radio/BLEVirtualRadio/Shared/RadioControl+Beacons.swift",
            "Radio/BLEVirtualRadio/Shared/RadioControlClient.swift",
            "Radio/BLEVirtualRadio/Shared/SharedRadioServer.swift",
            "System/BLETransport/SharedRadio/SharedRadioEndpoint.swift",
        ] {
            let file = projectRoot.appending(path: "Sources/\(path)")
            var source = SwiftLiterals(try String(contentsOf: file, encoding: .utf8))
            let texts = source.literals(of: ["CommandError", "EndpointError", "fail"], except: ["shown"])
            for text in texts where text.contains(/[a-z]{2} [a-z]/) {
                count += 1
                // The two kinds of addresses.
                let sample = text.replacing("no {} address", with: "no random address").replacing("{}", with: "1")
                #expect(hasHan(ToolWords.phrase(sample).inChinese), "\(path): no Chinese for \"\(text)\"")
            }
        }
        #expect(count > 30)
    }

    @Test(arguments: [
        ("acknowledgement 1 ms, 99 %: 2 ms", "确认延迟 1 ms，99 %：2 ms"), ("3 of 9 online", "9 个中 3 个在线"),
        (
            "7 gateways lost the broker; the first was back after 1 s, all after 2 s; 3 attempts to connect, at most 4 in a second.",
            "7 个网关失去了代理服务器；第一个在 1 秒后恢复，全部在 2 秒后；尝试连接 3 次，一秒内最多 4 次。"
        ),
        ("phone: request 3 was carried out: on, over the cloud", "手机：请求 3 已执行：开启，经由云"),
        ("lamp: off, by its button", "灯：关闭，由它的按钮"), ("wall 2", "墙 2"),
        ("12 packets on air, none lost, 1.5 ms of air time (0.2 %)", "空中 12 个数据包，没有丢失，占用 1.5 ms（0.2 %）"),
    ])
    func aShownLineIsTranslated(english: String, chinese: String) {
        #expect(ToolWords.phrase(english).inChinese == chinese)
    }

    @Test func theDescriptionsOfCompletionsAreChinese() throws {
        for shell in [CompletionsCommand.Shell.zsh, .fish] {
            let english = Bluelab.completionScript(for: shell == .zsh ? .zsh : .fish)
            let chinese = ChineseCompletions(shell).translated(english)
            #expect(chinese.split(separator: "\n").count == english.split(separator: "\n").count)
            // A description begins with a capital letter.
            let marks = shell == .zsh ? #/\[[A-Z]|^ +'[a-z-]+:[A-Z]/# : #/-d '/#
            let lines = chinese.split(separator: "\n").filter { $0.contains(marks) && !$0.contains("=[A-Z") }
            #expect(shell == .zsh || lines.count > 300)
            for line in lines { #expect(hasHan(String(line)), "\(line)") }
        }
    }

    @Test func bothLanguagesHaveTheSameValues() {
        for (english, chinese) in ToolWords.lines {
            let count = english.count { $0 == "{" }
            let numbers = chinese.matches(of: /\{(\d*)\}/).map { $0.1 }
            #expect(numbers.count == count, "\(english)")
            #expect(numbers.allSatisfy { $0.isEmpty } || Set(numbers).count == count, "\(english)")
            #expect(!hasHan(english) && (hasHan(chinese) || !Self.hasWords(english)), "\(english)")
        }
        for (english, chinese) in ToolWords.help { #expect(!hasHan(english) && hasHan(chinese), "\(english)") }
    }

    @Test func everyPairingErrorHasAChineseSentence() {
        let codes: [PairingError.Code] = [
            .cancelled, .wrongPasskey, .comparisonFailed, .notSupported, .outOfBandDataMissing,
            .authenticationRequirements,
            .insufficientSecurity, .keySizeTooSmall, .repeatedAttempts, .busy, .keyMissing, .checkFailed, .timedOut,
            .encryptionFailed, .disconnected, .other(9),
        ]
        for error in codes.flatMap({ [PairingError($0), PairingError($0, isFromPeer: true)] }) {
            let sentence = "the pairing with Lock failed. \(error.localizedDescription)"
            let chinese = ToolWords.phrase(sentence).inChinese
            #expect(chinese.hasPrefix("与 Lock 的配对失败。"))
            #expect(hasHan(String(chinese.dropFirst("与 Lock 的配对失败。".count))), "\(error.localizedDescription)")
        }
    }

    @Test func aLongValueIsWhole() {
        let list = String(repeating: "2A37 (Heart Rate Measurement), ", count: 100)
        #expect(ToolWords.phrase("It has: \(list).").inChinese == "它有：\(list)。")
    }

    /// A header that is wider than its column would move all others.
    @Test(arguments: [
        ("SIGNAL", 6), ("NAME", 18), ("ADDRESS", 17), ("TYPE", 7), ("SERVICES", 10), ("COMPANY", 14), ("EVERY", 6),
        ("SEEN", 6), ("AGE", 5), ("now", 5), ("public", 7), ("static", 7), ("private", 7), ("unresol", 7), ("note", 7),
        ("problem", 7), ("warning", 7), ("immediate", 9), ("subscribed", 13), ("unsubscribed", 13),
    ])
    func aWordFitsItsColumn(english: String, width: Int) {
        #expect(TextWidth.of(ToolWords.phrase(english).inChinese) <= width)
    }

    @Test(arguments: [
        ("bluelab: the read of Lock failed: The connection has timed out unexpectedly.", "bluelab：读取 Lock 失败：连接意外超时。"),
        ("Try: bluelab scan", "请试：bluelab scan"),
        ("bluelab: no device matched \"温度\" within 10 s.", "bluelab：10 s 内没有设备符合“温度”。"),
        ("Unknown option '--x'. Did you mean '--json'?", "未知的选项“--x”。是否想写“--json”？"),
        (
            "The value '-1' is invalid for '--seed <number>': a seed must be a whole number from 0 to 9.",
            "“-1”不能作为“--seed <number>”的值：种子必须是 0 至 9 的整数。"
        ),
        ("3 devices in 8 s, 2 connectable", "8 秒内 3 个设备，其中 2 个可连接"),
        (
            "BLUETOOTH_CONTROLLER is radio: the virtual radio at unix:/a/radio.",
            "BLUETOOTH_CONTROLLER 是 radio：unix:/a/radio 处的虚拟无线电。"
        ),
        (
            "BLUETOOTH_CONTROLLER is not set, and this machine has no Bluetooth adapter.",
            "没有设置 BLUETOOTH_CONTROLLER，而本机没有蓝牙适配器。"
        ),
        ("1 device in 8 s", "8 秒，1 个设备"), ("notifications of Level are on", "Level 的通知已开启"),
        ("wrote a.yaml: 3 steps", "已写出 a.yaml：3 步"), ("entered the region 7", "进入区域 7"),
        ("advertising as Lock", "正在以 Lock 广播"), ("Did you mean a? The profiles are a, b.", "是否想写 a？配置文件有：a, b。"),
        ("Did you mean a? The worlds are a, b.", "是否想写 a？自带的世界有：a, b。"),
        (
            "bluelab: \"scna\" is not a command of bluelab. Did you mean scan? Its commands are scan, read; bluelab help describes them.",
            "bluelab：\"scna\" 不是 bluelab 的命令。是否想写 scan？它的命令有 scan, read；bluelab help 说明它们。"
        ),
        (
            "BlueZ 5.66 does not tell why a link ended: a lost link looks as if the device had ended it.",
            "BlueZ 5.66 不说明链路为何结束：链路丢失看上去像是设备断开的。"
        ),
        (
            "bluelab: bluetoothd cannot be reached: the system bus refuses this user.",
            "bluelab：无法连接 bluetoothd：系统总线拒绝此用户。"
        ),
        (
            "the pairing with Lock failed. This device requires a longer encryption key.",
            "与 Lock 的配对失败。本设备要求更长的加密密钥。"
        ),
        (
            "lamp.yaml:3:5: expected a number, found \"x\".", "lamp.yaml:3:5: 应为数，实际为\"x\"。"
        ),
        ("lamp.yaml: what nobody wrote", "lamp.yaml: what nobody wrote"),
        ("what nobody wrote", "what nobody wrote"),
    ])
    func aLineIsTranslated(english: String, chinese: String) {
        #expect(ToolWords.phrase(english).inChinese == chinese)
        #expect(ToolWords.phrase(english).description == english)
    }
}

@Suite struct ChineseHelpTests {
    private func help(_ line: String) throws -> [String] {
        let arguments = line.split(separator: " ").map(String.init)
        do {
            // The command `help` prints the help when it runs.
            var command = try Bluelab.parseAsRoot(arguments)
            try command.run()
        } catch {
            return try #require(ChineseHelp(message: Bluelab.fullMessage(for: error))).lines
        }
        Issue.record("\(line) is no request for help")
        return []
    }

    @Test func theHelpOfACommandHasItsParts() throws {
        let lines = try help("help scan")
        #expect(lines[0] == "概述：列出范围内的设备，信号最强的在前。")
        #expect(lines.contains("示例：bluelab scan --duration 10"))
        #expect(lines.contains { $0.hasPrefix("用法：bluelab scan ") })
        #expect(lines.contains("选项："))
        #expect(lines.contains { $0.hasPrefix("  -h, --help              显示帮助。") })
        #expect(try help("help radio").contains { $0.hasPrefix("  serve (default)         运行无线电。") })
        #expect(try help("read --help").contains { $0.contains("（默认：10）") })
    }

    @Test(arguments: [
        "help", "help scan", "help adapters", "help write", "help radio beacon add", "help gateway cloud",
    ])
    func noLineIsWiderThanTheTerminal(line: String) throws {
        for text in try help(line) where !text.hasPrefix("用法") && !text.hasPrefix("示例") && !text.hasPrefix("      ") {
            // A line of an example or of a table is not broken.
            #expect(TextWidth.of(text) <= 80 || text.hasPrefix("  "), "\(text)")
        }
    }

    @Test func punctuationStaysWithItsCharacter() {
        let lines = ChineseHelp.wrapped("设备：它的标识符、地址、名称（或其中一部分）。", 14)
        #expect(lines == ["设备：它的标识", "符、地址、名称", "（或其中一部", "分）。"])
        #expect(ChineseHelp.wrapped("a word and 文字", 8) == ["a word", "and 文字"])
        #expect(ChineseHelp.wrapped("", 8) == [""])
        #expect(ChineseHelp.wrapped("averylongwordthatdoesnotfit", 8) == ["averylongwordthatdoesnotfit"])
    }

    @Test func otherMessagesAreNoHelp() {
        #expect(ChineseHelp(message: "0.1.0") == nil && ChineseHelp(message: "") == nil)
    }
}
