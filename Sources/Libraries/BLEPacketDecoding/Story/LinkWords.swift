import BLEAssignedNumbers
import BLESecurity
import BLEWire

/// Words about one link in a language.
struct LinkWords {
    let language: TextLanguage
    let link: LinkStory

    /// A side as the subject of a sentence: by its role for packets of the air, otherwise the host of the capture and its peer.
    func name(_ side: LinkSide) -> String {
        guard let local = link.local else {
            guard link.isRoleKnown else {
                return side == .central ? language("one side", "一方") : language("the other side", "另一方")
            }
            return side == .central ? language("the central", "中心设备") : language("the peripheral", "外设")
        }
        return side == local ? language("this host", "本机") : language("the peer", "对方")
    }

    func name(_ side: LinkSide?) -> String { side.map { name($0) } ?? language("an unknown side", "未知的一方") }

    // MARK: Values

    func parameters(_ parameters: LinkParameters) -> String {
        language(
            "interval \(intervalText(parameters.interval)), latency \(parameters.latency), timeout \(Int(parameters.timeout) * 10) ms",
            "间隔 \(intervalText(parameters.interval))，延迟 \(parameters.latency)，超时 \(Int(parameters.timeout) * 10) ms")
    }

    func parameters(_ requested: RequestedParameters) -> String {
        let range = language.range(intervalText(requested.minimum), intervalText(requested.maximum))
        return language(
            "interval \(range), latency \(requested.latency), timeout \(Int(requested.timeout) * 10) ms",
            "间隔 \(range)，延迟 \(requested.latency)，超时 \(Int(requested.timeout) * 10) ms")
    }

    /// An attribute by its name and handle.
    func attribute(_ uuid: BluetoothUUID?, _ handle: UInt16) -> String {
        let handle = "\(language.handle) \(hexadecimal(handle, digits: 4))"
        return uuid.map { "\(ValueText.name($0)) (\(handle))" } ?? handle
    }

    private func phy(_ number: UInt8) -> String {
        number == 0 ? language("unchanged", "不变") : HCI.PHY(rawValue: number).name
    }

    private func version(_ version: HCI.CoreVersion) -> String {
        let names: [UInt8: String] = [
            6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0",
        ]
        return names[version.rawValue] ?? language("version \(version.rawValue)", "版本 \(version.rawValue)")
    }

    func model(_ model: AssociationModel) -> String {
        switch model {
        case .justWorks: "Just Works"
        case .numericComparison: language("Numeric Comparison", "数字比较")
        case .passkeyOnInitiator: language("Passkey Entry, the central displays", "输入配对码，中心设备显示")
        case .passkeyOnResponder: language("Passkey Entry, the peripheral displays", "输入配对码，外设显示")
        case .passkeyEnteredTwice: language("Passkey Entry on both devices", "两端都输入配对码")
        case .outOfBand: language("Out of Band", "带外数据")
        }
    }

    // MARK: Events

    func text(_ event: LinkEvent.Kind) -> String {
        switch event {
        case .began(let parameters?): language("begins: ", "开始：") + self.parameters(parameters)
        case .began(nil): language("is older than the capture", "早于此抓包文件")
        case .updated, .updateRequested, .updateRefused, .phy, .dataLength, .mtu, .version: parameterText(event)
        case .discovery(let side): language("\(name(side)) discovers services", "\(name(side))查找服务")
        case .subscription(let handle, let uuid, let configuration, let side):
            name(side) + language(" ", "") + subscription(handle, uuid, configuration)
        case .serviceChanged:
            language("Service Changed: the attributes of the server changed", "Service Changed：服务器的属性已改变")
        case .securityRequest, .pairing, .pairingMethod, .pairingFailed, .encrypted, .encryptionFailed, .keyRefreshed,
            .unencrypted:
            securityText(event)
        case .channel(let psm, let side):
            language(
                "\(name(side)) opens a channel for PSM \(hexadecimal(psm, digits: 4))",
                "\(name(side))为 PSM \(hexadecimal(psm, digits: 4)) 打开通道")
        case .ended(let ending): self.ending(ending)
        }
    }

    private func parameterText(_ event: LinkEvent.Kind) -> String {
        switch event {
        case .updated(let parameters, let side):
            language("new parameters", "新的参数")
                + (side.map { language(", requested by \(name($0))", "（由\(name($0))请求）") } ?? "")
                + language(": ", "：") + self.parameters(parameters)
        case .updateRequested(let requested, let side):
            language("\(name(side)) requests ", "\(name(side))请求 ") + parameters(requested)
        case .updateRefused(let code, let side):
            language("the request of \(name(side)) for other parameters is rejected", "\(name(side))对其他参数的请求被拒绝")
                + (code.map { language(": ", "：") + language.error($0) } ?? "")
        case .phy(let central, let peripheral):
            language(
                "PHY: \(name(.central)) sends \(phy(central)), \(name(.peripheral)) \(phy(peripheral))",
                "PHY：\(name(.central))发送 \(phy(central))，\(name(.peripheral))发送 \(phy(peripheral))")
        case .dataLength(let central, let peripheral):
            language(
                "data length: \(name(.central)) sends up to \(central) octets in a packet, \(name(.peripheral)) \(peripheral)",
                "数据长度：\(name(.central))每个数据包最多 \(central) 字节，\(name(.peripheral)) \(peripheral) 字节")
        case .mtu(let client, let server):
            language(
                "ATT_MTU \(max(23, min(client, server))): the client offers \(client), the server \(server)",
                "ATT_MTU \(max(23, min(client, server)))：客户端 \(client)，服务器 \(server)")
        case .version(let side, let version, let company):
            language(
                "\(name(side)) has Bluetooth \(self.version(version)), company ",
                "\(name(side))使用蓝牙 \(self.version(version))，公司 ")
                + (AssignedNumbers.company(company) ?? hexadecimal(company, digits: 4))
        default: ""
        }
    }

    private func subscription(_ handle: UInt16, _ uuid: BluetoothUUID?, _ configuration: UInt16) -> String {
        let attribute = attribute(uuid, handle)
        return switch configuration & 3 {
        case 1: language("subscribes to notifications of \(attribute)", "订阅 \(attribute) 的通知")
        case 2: language("subscribes to indications of \(attribute)", "订阅 \(attribute) 的指示")
        case 3: language("subscribes to notifications and indications of \(attribute)", "订阅 \(attribute) 的通知和指示")
        default: language("ends the subscription to \(attribute)", "取消订阅 \(attribute)")
        }
    }

    private func securityText(_ event: LinkEvent.Kind) -> String {
        switch event {
        case .securityRequest: language("the peripheral requests security", "外设要求安全")
        case .pairing: language("pairing begins", "配对开始")
        case .pairingMethod(let model, let isSecure):
            language("pairing method: ", "配对方法：") + self.model(model) + language.comma
                + (isSecure ? language("LE Secure Connections", "LE 安全连接") : language("LE legacy pairing", "LE 传统配对"))
        case .pairingFailed(let reason, let side):
            language("\(name(side)) ends the pairing: ", "\(name(side))终止配对：") + language.reason(reason)
        case .encrypted: language("the link is encrypted", "链路已加密")
        case .encryptionFailed(let code): language("encryption fails: ", "加密失败：") + language.error(code)
        case .keyRefreshed: language("the link is encrypted with another key", "链路改用另一个密钥加密")
        case .unencrypted: language("encryption ends", "加密结束")
        default: ""
        }
    }

    private func ending(_ ending: LinkEnding) -> String {
        let reason =
            ending.reason.map {
                language(
                    " (\($0), 0x\(hexadecimal($0.rawValue, digits: 2)))",
                    "（\(language.error($0))，0x\(hexadecimal($0.rawValue, digits: 2))）")
            } ?? ""
        return switch ending.cause {
        case .side(let side): language("\(name(side)) ends the link", "\(name(side))断开连接") + reason
        case .lost: language("the link is lost", "链路丢失") + reason
        case .reset: language("this host resets its controller, which ends the link", "本机复位控制器，链路因此结束")
        case .silence:
            link.encryption.hiddenPackets > 0
                ? language(
                    "its packets stop; the reason may be in an encrypted packet", "不再有数据包；原因可能在加密的数据包中")
                : language("its packets stop, and no packet gives a reason", "不再有数据包，也没有数据包说明原因")
        }
    }
}
