/// The Chinese of sentences that CoreBluetooth gives to programs: the texts of `CBError` and `CBATTError`, as `localizedDescription` returns them.
package enum SystemWords {
    package static let errors: [(String, String)] = [
        ("Unknown error.", "未知错误。"),
        ("One or more parameters were invalid.", "一个或多个参数无效。"),
        ("The specified handle is invalid.", "指定的句柄无效。"),
        ("The specified device is not connected.", "指定的设备未连接。"),
        ("There is no space left for the operation.", "没有空间执行此操作。"),
        ("The operation was cancelled.", "操作已取消。"),
        ("The connection has timed out unexpectedly.", "连接意外超时。"),
        ("The specified device has disconnected from us.", "对方设备断开了连接。"),
        ("The specified UUID is not allowed for this operation.", "此操作不允许使用指定的 UUID。"),
        ("Advertising has already started.", "广播已经开始。"),
        ("The connection has failed unexpectedly.", "连接意外失败。"),
        ("The system has reached the maximum number of connections.", "系统已达到最大连接数。"),
        ("The specified device is unknown.", "指定的设备未知。"),
        ("The operation is not supported.", "不支持此操作。"),
        ("Peer removed pairing information", "对方删除了配对信息"),
        (
            "Failed to encrypt the connection, the connection has timed out unexpectedly.",
            "加密连接失败，连接意外超时。"
        ),
        ("Too many LE devices are paired.", "已配对的低功耗设备过多。"),
        ("Channel Sounding could not be configured.", "无法配置信道探测。"),
        ("The Channel Sounding procedure failed.", "信道探测流程失败。"),
        ("Success.", "成功。"),
        ("The handle is invalid.", "句柄无效。"),
        ("Reading is not permitted.", "不允许读取。"),
        ("Writing is not permitted.", "不允许写入。"),
        ("The command is invalid.", "命令无效。"),
        ("Authentication is insufficient.", "认证不足。"),
        ("The request is not supported.", "不支持此请求。"),
        ("The offset is invalid.", "偏移无效。"),
        ("Authorization is insufficient.", "授权不足。"),
        ("The prepare queue is full.", "准备写入队列已满。"),
        ("The attribute could not be found.", "找不到属性。"),
        ("The attribute is not long.", "该属性不是长属性。"),
        ("The encryption key size is insufficient.", "加密密钥长度不足。"),
        ("The value's length is invalid.", "值的长度无效。"),
        ("Unlikely error.", "意外错误。"),
        ("Encryption is insufficient.", "加密不足。"),
        ("The group type is unsupported.", "不支持此分组类型。"),
        ("Resources are insufficient.", "资源不足。"),
        ("Unknown ATT error.", "未知的 ATT 错误。"),
    ]

    /// Looks the sentences up. Other texts stay as they are.
    package static let book = PhraseBook(lines: [], words: errors)
}
