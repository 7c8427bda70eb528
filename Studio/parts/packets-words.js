// The words of the packet list.

import { register } from '../words.js';

/** Identifiers of `Procedure`, in the order of the filter. */
export const PROCEDURES = {
  advertising: ['Advertising', '广播'], connecting: ['Connection set-up', '建立连接'], idle: ['Empty packets', '空包'],
  'connection-update': ['Connection update', '连接参数更新'], 'channel-map-update': ['Channel map update', '信道图更新'],
  'encryption-start': ['Encryption start', '启动加密'], 'encryption-pause': ['Encryption pause', '暂停加密'], 'feature-exchange': ['Feature exchange', '功能交换'],
  'version-exchange': ['Version exchange', '版本交换'], termination: ['Disconnection', '断开连接'], ping: ['Ping', 'Ping'],
  'data-length-update': ['Data length update', '数据长度更新'], 'phy-update': ['PHY update', 'PHY 更新'], 'other-control': ['Other control', '其他控制'],
  channel: ['L2CAP channel', 'L2CAP 通道'], 'other-signal': ['Other signal', '其他信令'], 'mtu-exchange': ['MTU exchange', 'MTU 交换'],
  'service-discovery': ['Discovery of services', '发现服务'], 'included-service-discovery': ['Discovery of included services', '发现包含的服务'],
  'characteristic-discovery': ['Discovery of characteristics', '发现特征'], 'descriptor-discovery': ['Discovery of descriptors', '发现描述符'],
  read: ['Read', '读取'], write: ['Write', '写入'], 'command-write': ['Write without response', '无响应写入'], subscription: ['Subscription', '订阅'],
  'other-attribute': ['Other attribute', '其他属性'], pairing: ['Pairing', '配对'], encrypted: ['Encrypted data', '加密数据'],
};

register({
  en: {
    'packets.title': 'Packets', 'packets.filters': 'Filters', 'packets.filter.device': 'Device', 'packets.filter.layer': 'Layer', 'packets.filter.procedure': 'Procedure', 'packets.filter.text': 'Text', 'packets.filter.example': 'name or content', 'packets.as': 'Save as {format}',
    'packets.any': 'All', 'packets.fold': 'Fold conversations', 'packets.foldHint': 'Shows a conversation, such as a discovery, as one row', 'packets.follow': 'Follow the newest',
    'packets.followHint': 'Keeps the newest packets in view', 'packets.pcapng': 'Save as pcapng, for Wireshark',
    'packets.status': '{n} row of {all} packets||{n} rows of {all} packets', 'packets.searching': 'Searching…', 'packets.dropped': 'the first {dropped} are no longer kept',
    'packets.list': 'Packets', 'packets.none': 'No packets yet.', 'packets.teach': 'Packets appear here when time runs.', 'packets.run': 'Run',
    'packets.nothing': 'No packet matches the filters.', 'packets.clear': 'Clear the filters', 'packets.count': '{n} packet||{n} packets', 'packets.again': 'again',
    'packets.encrypted': 'encrypted', 'packets.choose': 'Select a packet to see its fields and its octets.', 'packets.detail': 'The packet', 'packets.seek': 'Go to this moment',
    'packets.copy': 'Copy as hex', 'packets.copied': 'Copied {n} octets.', 'packets.notCopied': 'The browser did not allow it. The octets are selected: press Ctrl-C.',
    'packets.close': 'Close', 'packets.fields': 'Fields', 'packets.octets': 'Octets', 'packets.colon': ': ', 'packets.whole': 'L2CAP frame of several packets',
    'packets.number': 'Packet {n}', 'packets.at': 'at {time}', 'packets.channel': 'channel {n}', 'packets.heard': 'heard by', 'packets.unheard': 'no device listened', 'packets.outcome.corrupted': 'damaged',
    'packets.outcome.missed': 'missed', 'packets.air': 'air time {span}', 'packets.decrypted': 'decrypted', 'packets.from': 'from',
    'packets.onlyDevice': 'device {id}', 'packets.save': 'Save',
    'packets.btsnoop': 'Save the HCI packets of a device as btsnoop, for btmon and Wireshark', 'packets.hci': 'HCI packets of a device',
    'packets.hciAbout': 'The file has the latest commands, events and data between the host of one device and its controller, for btmon and Wireshark.',
    'packets.hciKeys': 'The file contains the keys of the links (LTK), as every capture of HCI does. Those of the room protect a simulation only.',
    'packets.hciNone': 'No device of the room has a host.', 'packets.hciDropped': 'The first {n} HCI packet of this device is no longer kept.||The first {n} HCI packets of this device are no longer kept.',
    'packets.allHCIDropped': '{n} HCI packet is no longer kept||{n} HCI packets are no longer kept',
  },
  zh: {
    'packets.title': '数据包', 'packets.filters': '筛选', 'packets.filter.device': '设备', 'packets.filter.layer': '协议层', 'packets.filter.procedure': '流程', 'packets.filter.text': '内容', 'packets.filter.example': '名称或内容', 'packets.as': '保存为 {format}',
    'packets.any': '全部', 'packets.fold': '折叠会话', 'packets.foldHint': '把一次会话（例如一次发现）显示为一行', 'packets.follow': '跟随最新',
    'packets.followHint': '始终显示最新的数据包', 'packets.pcapng': '保存为 pcapng（供 Wireshark 使用）',
    'packets.status': '{n} 行，共 {all} 个数据包', 'packets.searching': '正在搜索…', 'packets.dropped': '最早的 {dropped} 个已不再保留',
    'packets.list': '数据包', 'packets.none': '还没有数据包。', 'packets.teach': '时间运行时，数据包会显示在这里。', 'packets.run': '运行',
    'packets.nothing': '没有符合筛选条件的数据包。', 'packets.clear': '清除筛选', 'packets.count': '{n} 个数据包', 'packets.again': '重传',
    'packets.encrypted': '已加密', 'packets.choose': '选择一个数据包，查看它的字段和字节。', 'packets.detail': '数据包', 'packets.seek': '跳到这一刻',
    'packets.copy': '复制十六进制', 'packets.copied': '已复制 {n} 字节。', 'packets.notCopied': '浏览器不允许复制。字节已选中：请按 Ctrl-C。',
    'packets.close': '关闭', 'packets.fields': '字段', 'packets.octets': '字节', 'packets.colon': '：', 'packets.whole': '由多个数据包组成的 L2CAP 帧',
    'packets.number': '数据包 {n}', 'packets.at': '时间 {time}', 'packets.channel': '信道 {n}', 'packets.heard': '接收方', 'packets.unheard': '没有设备在监听', 'packets.outcome.corrupted': '已损坏',
    'packets.outcome.missed': '未收到', 'packets.air': '空中时间 {span}', 'packets.decrypted': '已解密', 'packets.from': '来自',
    'packets.onlyDevice': '设备 {id}', 'packets.save': '保存',
    'packets.btsnoop': '把一台设备的 HCI 数据包保存为 btsnoop（供 btmon 和 Wireshark 使用）', 'packets.hci': '设备的 HCI 数据包',
    'packets.hciAbout': '文件包含一台设备的主机与其控制器之间最近的命令、事件和数据，供 btmon 和 Wireshark 使用。',
    'packets.hciKeys': '文件包含链路的密钥（LTK），任何 HCI 抓包都是如此。房间里的密钥只保护模拟。',
    'packets.hciNone': '房间里没有带主机的设备。', 'packets.hciDropped': '这台设备最早的 {n} 个 HCI 数据包已不再保留。', 'packets.allHCIDropped': '{n} 个 HCI 数据包已不再保留',
  },
});
const words = { en: {}, zh: {} };
for (const [name, [en, zh]] of Object.entries(PROCEDURES)) {
  words.en[`packets.procedure.${name}`] = en;
  words.zh[`packets.procedure.${name}`] = zh;
}
register(words);
