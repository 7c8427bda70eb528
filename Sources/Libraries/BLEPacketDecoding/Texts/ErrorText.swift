import BLEWire

/// Errors and reasons of the specification in words.
extension TextLanguage {
    /// An ATT error (Vol 3, Part F, 3.4.1.1, table 3.4).
    func error(_ code: ATT.ErrorCode) -> String {
        self("\(code)", Self.attributeErrors[code.rawValue] ?? Self.other(code.rawValue))
    }

    /// An error of a controller (Vol 1, Part F).
    func error(_ code: HCI.ErrorCode) -> String {
        self("\(code)", Self.controllerErrors[code.rawValue] ?? Self.other(code.rawValue))
    }

    /// The reason of a failed pairing (Vol 3, Part H, 3.5.5, table 3.7).
    func reason(_ reason: SMP.FailureReason) -> String {
        self("\(reason)", Self.pairingReasons[reason.rawValue] ?? Self.other(reason.rawValue))
    }

    private static func other(_ code: UInt8) -> String {
        (0x80...0x9F).contains(code) ? "应用错误 0x\(hexadecimal(code, digits: 2))" : "错误 0x\(hexadecimal(code, digits: 2))"
    }

    private static let attributeErrors: [UInt8: String] = [
        0x01: "句柄无效", 0x02: "不允许读取", 0x03: "不允许写入", 0x04: "PDU 无效", 0x05: "认证不足", 0x06: "不支持此请求", 0x07: "偏移无效",
        0x08: "授权不足", 0x09: "准备写入队列已满", 0x0A: "找不到属性", 0x0B: "不是长属性", 0x0C: "加密密钥过短", 0x0D: "属性值长度无效",
        0x0E: "意外错误", 0x0F: "加密不足", 0x10: "不支持此分组类型", 0x11: "资源不足", 0x12: "数据库不同步", 0x13: "不允许此值",
        0xFC: "写入请求被拒绝", 0xFD: "客户端特征配置描述符设置不当", 0xFE: "流程已在进行", 0xFF: "超出范围",
    ]

    private static let controllerErrors: [UInt8: String] = [
        0x00: "成功", 0x01: "未知的 HCI 命令", 0x02: "未知的连接标识", 0x03: "硬件故障", 0x04: "寻呼超时", 0x05: "认证失败",
        0x06: "缺少 PIN 或密钥", 0x07: "内存不足", 0x08: "连接超时", 0x09: "连接数超过上限", 0x0A: "到一台设备的同步连接数超过上限",
        0x0B: "连接已存在", 0x0C: "不允许此命令", 0x0D: "因资源有限拒绝连接", 0x0E: "因安全原因拒绝连接", 0x0F: "因地址不可接受拒绝连接",
        0x10: "接受连接超时", 0x11: "不支持的功能或参数值", 0x12: "HCI 命令参数无效", 0x13: "对方用户终止了连接", 0x14: "对方设备因资源不足终止了连接",
        0x15: "对方设备因关机终止了连接", 0x16: "本地主机终止了连接", 0x17: "尝试次数过多", 0x18: "不允许配对", 0x19: "未知的 LMP PDU",
        0x1A: "对方不支持此功能", 0x1B: "SCO 偏移被拒绝", 0x1C: "SCO 间隔被拒绝", 0x1D: "SCO 空中模式被拒绝", 0x1E: "LMP 或 LL 参数无效",
        0x1F: "未说明的错误", 0x20: "不支持的 LMP 或 LL 参数值", 0x21: "不允许改变角色", 0x22: "LMP 或 LL 响应超时", 0x23: "LMP 或 LL 流程冲突",
        0x24: "不允许此 LMP PDU", 0x25: "加密模式不可接受", 0x26: "不能更改链路密钥", 0x27: "不支持请求的服务质量", 0x28: "生效时刻已过",
        0x29: "不支持使用单元密钥配对", 0x2A: "不同事务冲突", 0x2C: "服务质量参数不可接受", 0x2D: "服务质量请求被拒绝",
        0x2E: "不支持信道分类", 0x2F: "安全性不足", 0x30: "参数超出强制范围", 0x32: "角色切换待定", 0x34: "预留时隙冲突", 0x35: "角色切换失败",
        0x36: "扩展查询响应过大", 0x37: "主机不支持安全简单配对", 0x38: "主机忙于配对", 0x39: "没有合适的信道，拒绝连接", 0x3A: "控制器忙",
        0x3B: "连接参数不可接受", 0x3C: "广播超时", 0x3D: "消息完整性校验失败，连接终止", 0x3E: "连接未能建立", 0x3F: "MAC 连接失败", 0x40: "粗略时钟调整被拒绝",
        0x41: "子映射类型未定义", 0x42: "未知的广播标识", 0x43: "达到上限", 0x44: "操作被主机取消", 0x45: "数据包过长",
        0x46: "过晚", 0x47: "过早", 0x48: "信道不足",
    ]

    private static let pairingReasons: [UInt8: String] = [
        0x01: "配对码输入失败", 0x02: "没有带外数据", 0x03: "认证要求", 0x04: "确认值不符", 0x05: "不支持配对", 0x06: "加密密钥长度",
        0x07: "不支持此命令", 0x08: "未说明的原因", 0x09: "尝试次数过多", 0x0A: "参数无效", 0x0B: "DHKey 校验失败", 0x0C: "数字比较失败",
        0x0D: "BR/EDR 配对正在进行", 0x0E: "不允许跨传输派生或生成密钥", 0x0F: "密钥被拒绝", 0x10: "忙",
    ]
}
