import Phrases

/// The Chinese of the lines that the programs of the lesson print, and of those that the programs of worlds print. A test reads the sources of the
/// programs and finds an entry for each line.
enum SceneLines {
    static let book = PhraseBook(
        lines: ProgramLines.lines + scenes + [ProgramLines.value], words: ProgramLines.words)

    /// `Scenes/Programs`.
    private static let scenes: [(String, String)] = [
        ("didDisconnectPeripheral, scanning again", "didDisconnectPeripheral，重新扫描"),
        ("didDisconnectPeripheral: {word}", "didDisconnectPeripheral：{word}"),
        ("didUpdateNotificationStateFor {}: {word}", "didUpdateNotificationStateFor {}：{word}"),
        ("didUpdateNotificationStateFor: {word}", "didUpdateNotificationStateFor：{word}"),
        ("didUpdateValueFor {}: the first of its values", "didUpdateValueFor {}：第一个值"),
        ("didUpdateValueFor {}: address {}", "didUpdateValueFor {}：地址 {}"),
        ("didUpdateValueFor {}: \"{}\"", "didUpdateValueFor {}：“{}”"),
        ("didUpdateValueFor {}: {word}", "didUpdateValueFor {}：{word}"),
        ("didUpdateValueFor: {} octets after {} ms", "didUpdateValueFor：{1} ms 后收到 {0} 字节"),
        ("didUpdateValueFor: {word}", "didUpdateValueFor：{word}"),
        ("readValue, writeValue, setNotifyValue", "readValue、writeValue、setNotifyValue"),
        ("didWriteValueFor: {word}", "didWriteValueFor：{word}"),
        ("scanForPeripherals, in the state unknown", "scanForPeripherals，此时状态为未知"),
        ("centralManagerDidUpdateState: {word}", "centralManagerDidUpdateState：{word}"),
        ("retrieveConnectedPeripherals: {}", "retrieveConnectedPeripherals：{}"),
        ("retrievePeripherals: {}", "retrievePeripherals：{}"),
        ("didDiscover: name \"{}\", advertised name \"{}\"", "didDiscover：名称“{}”，广播的名称“{}”"),
        ("didDiscover: identifier {}", "didDiscover：标识符 {}"),
        ("didDiscover {word} at {} dBm", "didDiscover {word}，信号强度 {} dBm"),
        ("didDiscover {word}", "didDiscover {word}"),
        ("didConnect, the same identifier as before", "didConnect，标识符与之前相同"),
        ("didConnect after {} ms", "{} ms 后 didConnect"),
        ("didConnect: {} octets fit into one write, the ATT_MTU is {}", "didConnect：一次写入最多 {} 字节，ATT_MTU 为 {}"),
        ("didConnect {word}: {} connected", "didConnect {word}：已连接 {} 台"),
        ("didAdd: {word}", "didAdd：{word}"),
        ("startAdvertising as {}", "startAdvertising，名称为 {}"),
        ("received {} octets", "已收到 {} 字节"),
        ("{} values from {} devices", "从 {1} 台设备收到 {0} 个值"),
        ("writeValue: {} parts of {} octets, {word}", "writeValue：{} 段，每段 {} 字节，{word}"),
        ("all parts given to the system after {} ms", "{} ms 后所有数据段都已交给系统"),
        ("paired devices: {}, this one: {word}", "已配对设备：{}，这台设备：{word}"),
        ("paired devices: {}", "已配对设备：{}"),
        (
            "ten connections: {} to {} ms, {} ms in the middle", "十次连接：{} 至 {} ms，中位数 {} ms"
        ),
        ("peripheralDidUpdateName: \"{}\"", "peripheralDidUpdateName：“{}”"),
        ("the result was not notified", "没有通知结果"),
        ("{} octets, {word}", "{} 字节，{word}"),
    ]
}
