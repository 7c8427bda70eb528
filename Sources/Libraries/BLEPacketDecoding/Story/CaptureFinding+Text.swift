import BLEWire

extension CaptureFinding.Kind {
    /// A word for programs, such as `supervision-timeout`.
    package var identifier: String {
        switch self {
        case .supervisionTimeout: "supervision-timeout"
        case .fellSilent: "fell-silent"
        case .notEstablished: "not-established"
        case .responseTimeout: "response-timeout"
        case .micFailure: "mic-failure"
        case .instantPassed: "instant-passed"
        case .keyMissing: "encryption-failed"
        case .updateRefused: "update-refused"
        case .attributeTimeout: "attribute-timeout"
        case .requestBeforeAnswer: "request-before-answer"
        case .updateWithoutSubscription: "update-without-subscription"
        case .writeToUndiscovered: "write-to-undiscovered"
        case .indicationNotConfirmed: "indication-not-confirmed"
        case .secondMTUExchange: "second-mtu-exchange"
        case .dataLengthNotExtended: "data-length-not-extended"
        case .changeWithoutDiscovery: "change-without-discovery"
        case .pairingFailed: "pairing-failed"
        case .pairingTimeout: "pairing-timeout"
        case .securityIgnored: "security-ignored"
        case .retransmissions: "retransmissions"
        case .invalidParameters: "invalid-parameters"
        case .accessoryGuidelines: "accessory-guidelines"
        case .advertisingTooFast: "advertising-too-fast"
        }
    }

    /// Where the Core Specification speaks of it, or another document.
    package var specification: String {
        switch self {
        case .supervisionTimeout, .fellSilent, .notEstablished, .invalidParameters: "Vol 6, Part B, 4.5.2"
        case .responseTimeout: "Vol 6, Part B, 5.2"
        case .micFailure, .keyMissing: "Vol 6, Part B, 5.1.3"
        case .instantPassed: "Vol 6, Part B, 5.5"
        case .updateRefused: "Vol 3, Part A, 4.20; Vol 6, Part B, 5.1.7"
        case .attributeTimeout, .indicationNotConfirmed: "Vol 3, Part F, 3.3.3"
        case .requestBeforeAnswer: "Vol 3, Part F, 3.3.2"
        case .updateWithoutSubscription: "Vol 3, Part G, 3.3.3.3"
        case .writeToUndiscovered: "Vol 3, Part G, 2.5.2"
        case .secondMTUExchange: "Vol 3, Part F, 3.4.2.1"
        case .dataLengthNotExtended: "Vol 6, Part B, 5.1.9"
        case .changeWithoutDiscovery: "Vol 3, Part G, 7.1"
        case .pairingFailed: "Vol 3, Part H, 3.5.5"
        case .pairingTimeout: "Vol 3, Part H, 3.4"
        case .securityIgnored: "Vol 3, Part C, 10.3.2"
        case .retransmissions: "Vol 6, Part B, 4.5.9"
        case .accessoryGuidelines: "Accessory Design Guidelines for Apple Devices, Connection Parameters"
        case .advertisingTooFast: "Vol 6, Part B, 4.4.2.2"
        }
    }
}

extension LinkWords {
    /// A finding as sentences: what it is, and what the specification says or what helps.
    func text(_ kind: CaptureFinding.Kind) -> String {
        switch kind {
        case .supervisionTimeout, .fellSilent, .notEstablished, .responseTimeout, .micFailure, .instantPassed,
            .keyMissing:
            lossText(kind)
        case .attributeTimeout, .requestBeforeAnswer, .updateWithoutSubscription, .writeToUndiscovered,
            .indicationNotConfirmed, .secondMTUExchange, .changeWithoutDiscovery, .securityIgnored:
            attributeText(kind)
        case .pairingFailed(let reason, let side): pairingFailed(reason, side)
        case .pairingTimeout:
            language(
                "A pairing stopped: no PDU followed for 30 s. The pairing has failed, and the devices must reconnect before they pair again.",
                "配对停止：30 秒内没有后续 PDU。配对因此失败，只有新的链路才能再次配对。")
        case .updateRefused, .dataLengthNotExtended, .retransmissions, .invalidParameters: parameterFinding(kind)
        case .accessoryGuidelines(let rule, let requested):
            language("The request for ", "请求 ") + parameters(requested)
                + language(" breaks Apple's guidelines for accessories: ", " 不符合 Apple 的配件指南：")
                + Self.text(rule, language)
        case .advertisingTooFast(let address, let interval):
            Self.advertisingTooFast(address, interval, language)
        }
    }

    /// A finding that belongs to no link.
    static func text(_ kind: CaptureFinding.Kind, _ language: TextLanguage) -> String {
        switch kind {
        case .advertisingTooFast(let address, let interval): advertisingTooFast(address, interval, language)
        case .notEstablished:
            language(
                "A link was not established: the peer did not answer within six connection intervals.",
                "链路未能建立：对方没有在六个连接间隔内回应。")
        default: kind.identifier
        }
    }

    private func lossText(_ kind: CaptureFinding.Kind) -> String {
        switch kind {
        case .supervisionTimeout:
            language(
                "The supervision timeout ended the link: no packet of the other side arrived in time. The distance, interference, or a device that was switched off are usual causes.",
                "监督超时结束了链路：没有及时收到另一方的数据包。常见原因是距离、干扰，或设备被关闭。")
        case .fellSilent:
            language(
                "The packets of the link stop for longer than its supervision timeout, and none gives a reason: the link was lost, or the recorder did not follow it.",
                "链路的数据包中断时间超过监督超时，也没有数据包说明原因：链路已丢失，或记录器没有跟上。")
        case .notEstablished:
            language(
                "The link was not established: the peripheral did not answer within six connection intervals. It may be out of range, or its radio was busy.",
                "链路未能建立：外设没有在六个连接间隔内回应。它可能超出范围，或无线部分正忙。")
        case .responseTimeout:
            language(
                "A controller did not answer a link layer procedure within 40 s.",
                "控制器没有在 40 秒内回应链路层的流程。")
        case .micFailure:
            language(
                "A packet had a wrong MIC: the sides use different keys, or a third device sends packets on the link.",
                "数据包的完整性校验值错误：两端使用的密钥不同，或有人向链路中发送数据包。")
        case .instantPassed:
            language(
                "A link layer update arrived after its instant, the event at which it takes effect.",
                "链路更新在其生效的事件之后才到达。")
        case .keyMissing(let code):
            code == .pinOrKeyMissing
                ? language(
                    "Encryption failed because one side no longer has the key of the bond. Remove the bond on the other side and pair again.",
                    "加密失败，因为一方已没有密钥：它丢失了绑定。请在另一方删除绑定后重新配对。")
                : language("Encryption failed: ", "加密失败：") + language.error(code) + language(".", "。")
        default: ""
        }
    }

    private func attributeText(_ kind: CaptureFinding.Kind) -> String {
        switch kind {
        case .attributeTimeout(let opcode):
            language(
                "\(opcode.specificationName) got no response within 30 s. The client must not send further requests on this link.",
                "\(opcode.specificationName) 在 30 秒内没有得到响应。此后客户端不得在此链路上再发送请求。")
        case .requestBeforeAnswer(let opcode):
            language(
                "\(opcode.specificationName) was sent before the response to the previous request. A client must wait for it.",
                "\(opcode.specificationName) 在前一个请求得到响应之前发送。客户端同一时间只能有一个请求。")
        case .updateWithoutSubscription(let handle, let uuid, let isIndication):
            language(
                "The server sent \(isIndication ? "an indication" : "a notification") of \(attribute(uuid, handle)), to which the client did not subscribe on this link.",
                "服务器发送了 \(attribute(uuid, handle)) 的\(isIndication ? "指示" : "通知")，而客户端在此链路上没有订阅。")
        case .writeToUndiscovered(let handle):
            language(
                "The client wrote to \(attribute(nil, handle)), which its discovery did not find. It may know the handle from an earlier link.",
                "客户端写入了\(attribute(nil, handle))，而发现过程没有给出它。可能来自更早的链路。")
        case .indicationNotConfirmed(let handle, let uuid):
            language(
                "The client did not confirm an indication of \(attribute(uuid, handle)). Until then the server must not send another one.",
                "客户端没有确认 \(attribute(uuid, handle)) 的指示。在此之前服务器不能发送其他指示。")
        case .secondMTUExchange:
            language(
                "The client requested the ATT_MTU exchange again. Only one is allowed on a link.",
                "客户端再次交换 ATT_MTU。一条链路上只能交换一次。")
        case .changeWithoutDiscovery:
            language(
                "The server indicated Service Changed, and the client did not discover the attributes again: its handles may be wrong.",
                "服务器发出了 Service Changed，而客户端没有重新查找属性：它的句柄可能已失效。")
        case .securityIgnored(let code):
            language(
                "The server refused a request (\(code)), and the link was not encrypted afterwards: the client should pair or encrypt, and repeat the request.",
                "服务器拒绝了请求（\(language.error(code))），此后链路没有加密：客户端应当配对或加密，然后重复请求。")
        default: ""
        }
    }

    private func pairingFailed(_ reason: SMP.FailureReason, _ side: LinkSide) -> String {
        let text = language("\(name(side)) ended the pairing: ", "\(name(side))终止了配对：") + language.reason(reason)
        let advice: String? =
            switch reason {
            case .passkeyEntryFailed: language("the user cancelled the entry of the passkey", "用户取消了配对码的输入")
            case .confirmValueFailed: language("the passkeys differ, or the user typed it wrong", "配对码不同，或用户输入有误")
            case .authenticationRequirements:
                language(
                    "it requires protection that the capabilities of both devices do not give",
                    "它要求的保护是两端的能力不能提供的")
            case .pairingNotSupported: language("it does not pair, or not now", "它不支持配对，或现在不允许")
            case .encryptionKeySize: language("the other side's key is too short for it", "另一方的密钥对它来说过短")
            case .repeatedAttempts: language("wait before the next attempt", "请等待后再尝试")
            case .numericComparisonFailed: language("the user said that the numbers differ", "用户认为数字不同")
            case .dhKeyCheckFailed: language("both sides computed different keys", "两端计算的密钥不同")
            default: nil
            }
        return text + (advice.map { language("; ", "；") + $0 } ?? "") + language(".", "。")
    }

    private func parameterFinding(_ kind: CaptureFinding.Kind) -> String {
        switch kind {
        case .updateRefused(let code, let side):
            language(
                "The request of \(name(side)) for other connection parameters was rejected",
                "\(name(side))对其他连接参数的请求被拒绝"
            )
                + (code.map { language(" (\($0))", "（\(language.error($0))）") } ?? "")
                + language(": the link keeps its parameters.", "：链路保持现有参数。")
        case .dataLengthNotExtended(let frames):
            language(
                "\(frames) frames did not fit a packet of 27 octets, and no side asked for a larger data length: each took several packets.",
                "\(frames) 个帧超过 27 字节的数据包，而没有一方要求更大的数据长度：每个帧都占用多个数据包。")
        case .retransmissions(let side, let percent):
            language(
                "\(percent) % of the packets of \(name(side)) are retransmissions: the signal is weak, or there is interference.",
                "\(name(side))的数据包中有 \(percent) % 是重传：信号弱，或信道被占用。")
        case .invalidParameters(let parameters):
            language("Invalid connection parameters: ", "连接参数无效：") + self.parameters(parameters)
                + language(
                    ". The timeout must be longer than two intervals with the latency.", "。超时必须长于含延迟的两个间隔。")
        default: ""
        }
    }

    private static func text(_ rule: CaptureFinding.AccessoryRule, _ language: TextLanguage) -> String {
        switch rule {
        case .minimumBelow15:
            language("the shortest interval is 15 ms (11.25 ms for HID).", "最短间隔是 15 ms（HID 为 11.25 ms）。")
        case .minimumNotMultipleOf15: language("the minimum is a multiple of 15 ms.", "最小间隔应是 15 ms 的倍数。")
        case .rangeTooNarrow:
            language(
                "the maximum is at least 15 ms above the minimum, or both are 15 ms.", "最大间隔至少比最小间隔大 15 ms，或两者都是 15 ms。"
            )
        case .latencyTooLong: language("the latency is at most 30.", "延迟最大为 30。")
        case .timeoutOutOfRange: language("the supervision timeout is between 2 s and 18 s.", "监督超时在 2 秒至 18 秒之间。")
        case .silenceTooLong: language("interval and latency give at most 6 s.", "间隔与延迟合计不超过 6 秒。")
        case .timeoutTooShortForLatency:
            language(
                "the supervision timeout is longer than three intervals with the latency.", "监督超时应长于含延迟的三个间隔。")
        }
    }

    private static func advertisingTooFast(
        _ address: DeviceAddress?, _ interval: Int, _ language: TextLanguage
    ) -> String {
        let milliseconds = "\(interval / 1000).\(interval % 1000 / 100)"
        guard let address else {
            return language(
                "This host sets an advertising interval of \(milliseconds) ms; the shortest interval is 20 ms.",
                "本机设置的广播间隔是 \(milliseconds) ms；最短间隔是 20 ms。")
        }
        return language(
            "\(address) advertises every \(milliseconds) ms; the shortest interval is 20 ms.",
            "\(address) 每 \(milliseconds) ms 广播一次；最短间隔是 20 ms。")
    }
}
