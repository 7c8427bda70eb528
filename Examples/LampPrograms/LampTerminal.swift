import CoreBluetooth
import DeviceLink

/// Reads the key that the lamp and the phone share from the environment, where no other user sees it; nil without one.
///
/// 从环境变量读取灯和手机共用的密钥（命令行参数其他用户也能看到，所以不用）。
public func lampKey() -> LinkKey? {
    ProcessInfo.processInfo.environment["BLUETOOTH_LINK_KEY"].flatMap { try? LinkKey(base64: $0) }
}

/// The MQTT broker that `LAMP_BROKER` names, such as `mqtt://192.0.2.1`; nil without the variable.
///
/// 环境变量 LAMP_BROKER 指定的 MQTT 服务器。
public func lampCloud() throws(MQTTBrokerError) -> MQTTTopicBus? {
    guard let address = ProcessInfo.processInfo.environment["LAMP_BROKER"] else { return nil }
    return try MQTTTopicBus(MQTTBroker(address))
}

/// Calls `body` on the main queue for each line of the standard input: the Enter key.
///
/// 每按一次回车，就在主队列上调用 body。
public func onEachLine(_ body: @escaping @MainActor () -> Void) {
    FileHandle.standardInput.readabilityHandler = { input in
        let octets = input.availableData
        // The end of the input. 输入结束。
        if octets.isEmpty { input.readabilityHandler = nil }
        for octet in octets where octet == 0x0A { DispatchQueue.main.async { MainActor.assumeIsolated { body() } } }
    }
}
