/// The names of fields in the languages of texts.
enum FieldNames {
    /// The name of a field. Names that the Bluetooth SIG assigned, such as those of AD types and of values, have no entry and stay as they are.
    static func name(_ english: String, in language: TextLanguage) -> String {
        language == .english ? english : chinese[english] ?? english
    }

    private static let chinese: [String: String] = [
        // Groups
        "Advertising header": "广播报头", "Advertising data": "广播数据", "Scan response data": "扫描响应数据",
        "Link layer data": "链路层数据", "Data header": "数据报头", "Type and flags": "类型和标志",
        "Control PDU": "控制 PDU", "L2CAP frame": "L2CAP 帧", "Attribute PDU": "属性 PDU", "Signal": "信令",
        "Security Manager PDU": "安全管理器 PDU", "Channel data": "通道数据", "AD structure": "AD 结构",
        "Hop and clock": "跳频和时钟", "Attribute": "属性", "Characteristic": "特征", "Included service": "包含的服务",
        "Service": "服务", "Group": "组", "Properties": "属性标志",
        // Any layer
        "Not decoded": "未解码", "Reserved": "保留", "Length": "长度", "Type": "类型", "Data": "数据", "Flags": "标志",
        "Value": "值", "Values": "多个值", "Part of the value": "值的一部分", "Opcode": "操作码", "Code": "代码", "Address": "地址",
        "Address type": "地址类型", "Channel": "通道", "Reason": "原因", "Error": "错误", "Error code": "错误码", "Key": "密钥",
        "Random": "随机数", "Kind": "种类", "Number": "数值", "Name": "名称", "Identifier": "标识", "Result": "结果",
        "Early end": "提前结束", "Level": "功率", "Company": "公司", "Minimum": "最小值", "Maximum": "最大值",
        // Advertising (Vol 6, Part B, 2.3)
        "PDU type": "PDU 类型", "Channel selection": "信道选择", "Sender's address": "发送方地址",
        "Receiver's address": "接收方地址", "Advertiser's address": "广播者地址", "Target's address": "目标地址",
        "Scanner's address": "扫描者地址", "Initiator's address": "发起者地址", "Access address": "接入地址",
        "CRC initial value": "CRC 初始值", "Window size": "窗口大小", "Window offset": "窗口偏移", "Interval": "间隔",
        "Latency": "延迟", "Timeout": "超时", "Channel map": "信道映射", "Channels 0 to 36": "信道 0 至 36",
        "Hop increment": "跳频增量", "Central's clock accuracy": "中心设备的时钟精度",
        "LE limited discoverable mode": "LE 有限可发现模式", "LE general discoverable mode": "LE 通用可发现模式",
        "BR/EDR not supported": "不支持 BR/EDR", "LE and BR/EDR in the same controller": "控制器同时支持 LE 和 BR/EDR",
        "LE and BR/EDR in the same host": "主机同时支持 LE 和 BR/EDR", "Appearance": "外观", "Proximity UUID": "邻近 UUID",
        "Power at 1 m": "1 m 处的功率", "Extended header": "扩展报头", "Length and mode": "长度和模式", "Mode": "模式",
        "Fields": "字段", "Advertising data info": "广播数据信息", "Data ID": "数据 ID", "Set ID": "广播集 ID",
        "Auxiliary pointer": "辅助指针", "Secondary channel": "次要信道", "Clock accuracy": "时钟精度",
        "Offset unit": "偏移单位", "Sync info": "同步信息", "CTE info": "CTE 信息", "Offset adjustment": "偏移调整",
        "Sleep clock accuracy": "睡眠时钟精度",
        "Event counter": "事件计数", "TX power": "发射功率", "Additional controller data": "附加控制器数据",
        "Part of the advertising data": "广播数据的一部分",
        // Data channels and control PDUs (Vol 6, Part B, 2.4)
        "Next expected sequence number": "期望的下一序号", "Sequence number": "序号", "More data": "更多数据",
        "Direction finding (CTE)": "测向（CTE）", "Encrypted payload": "加密的载荷", "Message integrity check": "消息完整性校验",
        "Part of an L2CAP frame": "L2CAP 帧的一部分", "Last part of an L2CAP frame": "L2CAP 帧的最后一部分",
        "Unknown type": "未知的类型", "Version": "版本", "Subversion": "子版本", "Reject opcode": "被拒绝的操作码",
        "Random number": "随机数", "Encrypted diversifier": "加密分散值", "Part": "会话密钥部分",
        "Session key diversifier": "会话密钥分散值", "Initialization vector": "初始化向量", "Features": "功能",
        "Max RX octets": "最大接收字节数", "Max RX time": "最长接收时间", "Max TX octets": "最大发送字节数",
        "Max TX time": "最长发送时间", "TX PHYs": "发送 PHY", "RX PHYs": "接收 PHY", "Instant": "生效时刻",
        "Central to peripheral": "中心设备到外设", "Peripheral to central": "外设到中心设备", "Interval min": "最小间隔",
        "Interval max": "最大间隔", "Preferred periodicity": "首选周期", "PHYs": "PHY", "Factor minimum": "最小因子",
        "Factor maximum": "最大因子", "Factor": "因子", "Maximum latency": "最大延迟", "Continuation number": "延续事件数",
        "Base event": "基准事件", "Reference connection event": "参考连接事件",
        "Offset 0": "偏移 0", "Offset 1": "偏移 1", "Offset 2": "偏移 2", "Offset 3": "偏移 3", "Offset 4": "偏移 4",
        "Offset 5": "偏移 5",
        // Features of the link layer (Vol 6, Part B, 4.6)
        "LE Encryption": "LE 加密", "Connection Parameters Request": "连接参数请求",
        "Extended Reject Indication": "扩展拒绝指示", "Peripheral-initiated Features Exchange": "外设发起的功能交换",
        "LE Ping": "LE Ping", "LE Data Packet Length Extension": "LE 数据包长度扩展", "LL Privacy": "链路层隐私",
        "Extended Scanning Filter Policies": "扩展扫描过滤策略", "LE 2M PHY": "LE 2M PHY",
        "Stable Modulation Index, transmitter": "稳定调制指数（发送）",
        "Stable Modulation Index, receiver": "稳定调制指数（接收）", "LE Coded PHY": "LE 编码 PHY", "LE Coded": "LE 编码",
        "LE Extended Advertising": "LE 扩展广播", "LE Periodic Advertising": "LE 周期广播",
        "Channel Selection Algorithm #2": "信道选择算法 #2", "LE Power Class 1": "LE 功率等级 1",
        "Minimum Number of Used Channels": "最少使用信道数", "Connection CTE Request": "连接 CTE 请求",
        "Connection CTE Response": "连接 CTE 响应", "Connectionless CTE Transmitter": "无连接 CTE 发送",
        "Connectionless CTE Receiver": "无连接 CTE 接收", "Antenna Switching, transmitter": "天线切换（发送）",
        "Antenna Switching, receiver": "天线切换（接收）", "Receiving Constant Tone Extensions": "接收恒定音扩展",
        "Periodic Sync Transfer, sender": "周期同步转移（发送方）", "Periodic Sync Transfer, recipient": "周期同步转移（接收方）",
        "Sleep Clock Accuracy Updates": "睡眠时钟精度更新", "Remote Public Key Validation": "远端公钥验证",
        "Connected Isochronous Stream, central": "连接等时流（中心设备）",
        "Connected Isochronous Stream, peripheral": "连接等时流（外设）", "Isochronous Broadcaster": "等时广播者",
        "Synchronized Receiver": "同步接收者", "Isochronous channels, host": "等时信道（主机支持）",
        "LE Power Control Request": "LE 功率控制请求", "LE Path Loss Monitoring": "LE 路径损耗监测",
        "Periodic Advertising ADI": "周期广播数据信息", "Connection Subrating": "连接子速率",
        "Connection Subrating, host": "连接子速率（主机支持）", "Channel Classification": "信道分类",
        // L2CAP signals (Vol 3, Part A, 4)
        "Interval minimum": "最小间隔", "Interval maximum": "最大间隔", "Source channel": "源通道",
        "Destination channel": "目标通道", "Local channel": "本地通道", "Remote channel": "远端通道",
        "Initial credits": "初始信用", "Credits": "信用", "SDU length": "SDU 长度",
        // ATT (Vol 3, Part F, 3.4)
        "Request": "请求", "Handle": "句柄", "First handle": "首个句柄", "Last handle": "末个句柄", "Value handle": "值句柄",
        "Client's receive MTU": "客户端接收 MTU", "Server's receive MTU": "服务器接收 MTU", "Offset": "偏移",
        "Format": "格式", "Length of an entry": "每项的长度", "Sign counter": "签名计数", "Message authentication code": "消息认证码",
        "Broadcast": "广播", "Read": "读取", "Write without response": "无响应写入", "Write": "写入", "Notify": "通知",
        "Indicate": "指示", "Authenticated signed writes": "签名写入", "Extended properties": "扩展属性",
        // Security Manager (Vol 3, Part H, 3)
        "IO capability": "输入输出能力", "Has out of band data": "有带外数据", "Requirements": "要求",
        "Maximum key size": "最大密钥长度", "Initiator keys": "发起方的密钥", "Responder keys": "响应方的密钥", "Bonding": "绑定",
        "MITM protection": "防中间人攻击", "Secure Connections": "安全连接", "Keypress notifications": "按键通知",
        "Encryption key (LTK)": "加密密钥（LTK）", "Identity key (IRK)": "身份密钥（IRK）", "Signing key (CSRK)": "签名密钥（CSRK）",
        "BR/EDR link key": "BR/EDR 链路密钥", "Diversifier": "分散值", "X coordinate": "X 坐标", "Y coordinate": "Y 坐标",
    ]
}
