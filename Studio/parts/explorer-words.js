// The words of the explorer.

import { register, t } from '../words.js';

register({
  en: {
    'ex.scan': 'Scan', 'ex.stop': 'Stop the scan', 'ex.list': 'Devices nearby', 'ex.seen': '{shown} of {seen}', 'ex.more': '{n} more devices: narrow the filter to see them.',
    'ex.filter': 'Filter', 'ex.filter.name': 'Name, address or company', 'ex.filter.service': 'Service', 'ex.filter.rssi': 'At least {n} dBm', 'ex.filter.any': 'Any signal', 'ex.filter.connectable': 'Connectable only',
    'ex.sort': 'Sort by signal', 'ex.none': 'No device yet.', 'ex.none.hint': 'Start the scan: devices that advertise appear here.', 'ex.none.filtered': 'The filter selects no device.',
    'ex.noname': '(no name)', 'ex.connect': 'Connect', 'ex.cancel': 'Cancel', 'ex.disconnect': 'Disconnect', 'ex.close': 'Close', 'ex.closeDevice': 'Close {name}', 'ex.discover': 'Discover again', 'ex.readAll': 'Read all', 'ex.rssi': 'Read signal',
    'ex.pair': 'Pair', 'ex.unpair': 'Delete keys', 'ex.script': 'Save script', 'ex.opened': 'Opened devices', 'ex.device': 'Device', 'ex.pick': 'Select a device.', 'ex.pick.hint': 'Its advertisement appears here. Connect to see its services.',
    'ex.link.connecting': 'connecting…', 'ex.link.connected': 'connected', 'ex.link.disconnecting': 'disconnecting…', 'ex.link.disconnected': 'not connected',
    'ex.discovering': 'Discovering services…', 'ex.bonded': 'paired', 'ex.pairing': 'pairing…', 'ex.level': 'security level {n}', 'ex.moreAttributes': '{n} more attributes are not shown.',
    'ex.advertisement': 'Advertisement', 'ex.adv.data': 'Advertising data', 'ex.adv.response': 'Scan response', 'ex.octets': '{n} octets', 'ex.octet': '1 octet', 'ex.address': 'Address', 'ex.identifier': 'Identifier', 'ex.interval': 'Interval', 'ex.interval.about': 'about {n} ms',
    'ex.packets': 'Packets', 'ex.signal': 'Signal', 'ex.signal.range': '{low} to {high} dBm', 'ex.distance': 'Distance', 'ex.distance.about': 'about {n} m', 'ex.publishes': 'Publishes', 'ex.connectable': 'Connectable', 'ex.yes': 'yes', 'ex.no': 'no',
    'ex.address.public': 'public', 'ex.address.static': 'static random', 'ex.address.resolvable': 'resolvable private, changes every few minutes', 'ex.address.nonresolvable': 'non-resolvable private', 'ex.address.reserved': 'of a reserved type',
    'ex.services': 'Services and characteristics', 'ex.characteristic': 'Characteristic', 'ex.value': 'Value', 'ex.value.none': 'No value yet.', 'ex.pickCharacteristic': 'Select a characteristic.', 'ex.pickCharacteristic.hint': 'Read it, write it or subscribe to it here.',
    'ex.read': 'Read', 'ex.write': 'Write', 'ex.notify': 'Notifications', 'ex.notifies': 'notifies', 'ex.format': 'Format', 'ex.newValue': 'New value', 'ex.response': 'With response', 'ex.formats': 'All formats', 'ex.fields': 'Fields', 'ex.descriptors': 'Descriptors',
    'ex.updates': '{n} values', 'ex.update': '1 value', 'ex.source.read': 'read', 'ex.source.notification': 'notified', 'ex.sig': 'SIG (as shown)', 'ex.pending': 'waiting for the device…', 'ex.plots': 'Live values', 'ex.plot': '{name}: last {last}, from {low} to {high}',
    'ex.log': 'Log', 'ex.log.save': 'Save log', 'ex.log.clear': 'Clear log', 'ex.log.none': 'Nothing happened yet.', 'ex.swift': 'Swift', 'ex.explorer': 'Explores with', 'ex.adapter': 'Adapter {name}',
    'ex.empty': 'No phone explores here yet.', 'ex.empty.hint': 'The explorer runs on a phone in the room, or on the Bluetooth adapter of this computer (bluelab studio --controller hci0).', 'ex.empty.add': 'Add a phone to explore with', 'ex.phone': 'Explorer',
    'ex.state.unknown': 'The adapter is starting.', 'ex.state.resetting': 'The connection to the adapter was lost. Plug it in again; the explorer goes on by itself.',
    'ex.state.unsupported': 'There is no usable Bluetooth adapter. Plug one in, or choose another with --controller. bluelab doctor says more.',
    'ex.state.unauthorized': 'This program may not use the Bluetooth adapter. Stop bluetoothd, or give bluelab the right: bluelab doctor shows the command.',
    'ex.state.poweredOff': 'Bluetooth is off. Turn it on: rfkill unblock bluetooth.', 'ex.state.roomOff': 'the phone is off.', 'ex.state.wait': 'The phone starts when time runs.',
    'ex.run': 'Run time', 'ex.turnOn': 'Turn on', 'ex.paused': 'Time stands still: nothing arrives until it runs.',
    'ex.prompt': 'Pairing', 'ex.prompt.accept': '{name} wants to pair.', 'ex.prompt.display': 'Enter this passkey on {name}:', 'ex.prompt.compare': 'Does {name} show the same number?', 'ex.prompt.enter': 'Enter the passkey that {name} shows:',
    'ex.prompt.allow': 'Pair', 'ex.prompt.refuse': 'Refuse', 'ex.prompt.same': 'Yes, the same', 'ex.prompt.other': 'No, different', 'ex.prompt.done': 'Done', 'ex.prompt.cancel': 'Cancel', 'ex.prompt.ok': 'OK', 'ex.prompt.passkey': 'Passkey',
    'ex.saved': 'Saved.', 'ex.signals': 'Signal, the last packets',
    'ex.fail.adapter': 'The Bluetooth adapter is not on.',
  },
  zh: {
    'ex.scan': '扫描', 'ex.stop': '停止扫描', 'ex.list': '附近的设备', 'ex.seen': '{shown} / {seen}', 'ex.more': '还有 {n} 个设备：缩小过滤条件即可看到。',
    'ex.filter': '过滤', 'ex.filter.name': '名称、地址或公司', 'ex.filter.service': '服务', 'ex.filter.rssi': '至少 {n} dBm', 'ex.filter.any': '任意信号', 'ex.filter.connectable': '仅可连接',
    'ex.sort': '按信号排序', 'ex.none': '还没有设备。', 'ex.none.hint': '开始扫描：正在广播的设备会出现在这里。', 'ex.none.filtered': '没有符合过滤条件的设备。',
    'ex.noname': '（无名称）', 'ex.connect': '连接', 'ex.cancel': '取消', 'ex.disconnect': '断开', 'ex.close': '关闭', 'ex.closeDevice': '关闭 {name}', 'ex.discover': '重新发现', 'ex.readAll': '全部读取', 'ex.rssi': '读取信号',
    'ex.pair': '配对', 'ex.unpair': '删除密钥', 'ex.script': '保存脚本', 'ex.opened': '已打开的设备', 'ex.device': '设备', 'ex.pick': '请选择一个设备。', 'ex.pick.hint': '这里显示它的广播。连接后可看到它的服务。',
    'ex.link.connecting': '正在连接…', 'ex.link.connected': '已连接', 'ex.link.disconnecting': '正在断开…', 'ex.link.disconnected': '未连接',
    'ex.discovering': '正在发现服务…', 'ex.bonded': '已配对', 'ex.pairing': '正在配对…', 'ex.level': '安全级别 {n}', 'ex.moreAttributes': '还有 {n} 个属性未显示。',
    'ex.advertisement': '广播', 'ex.adv.data': '广播数据', 'ex.adv.response': '扫描响应', 'ex.octets': '{n} 字节', 'ex.octet': '1 字节', 'ex.address': '地址', 'ex.identifier': '标识符', 'ex.interval': '间隔', 'ex.interval.about': '约 {n} ms',
    'ex.packets': '数据包', 'ex.signal': '信号', 'ex.signal.range': '{low} 到 {high} dBm', 'ex.distance': '距离', 'ex.distance.about': '约 {n} 米', 'ex.publishes': '公布的地址', 'ex.connectable': '可连接', 'ex.yes': '是', 'ex.no': '否',
    'ex.address.public': '公共', 'ex.address.static': '静态随机', 'ex.address.resolvable': '可解析私有，每隔几分钟改变', 'ex.address.nonresolvable': '不可解析私有', 'ex.address.reserved': '保留类型',
    'ex.services': '服务与特征', 'ex.characteristic': '特征', 'ex.value': '值', 'ex.value.none': '还没有值。', 'ex.pickCharacteristic': '请选择一个特征。', 'ex.pickCharacteristic.hint': '在这里读取、写入或订阅它。',
    'ex.read': '读取', 'ex.write': '写入', 'ex.notify': '通知', 'ex.notifies': '正在通知', 'ex.format': '格式', 'ex.newValue': '新值', 'ex.response': '需要响应', 'ex.formats': '所有格式', 'ex.fields': '字段', 'ex.descriptors': '描述符',
    'ex.updates': '{n} 个值', 'ex.update': '1 个值', 'ex.source.read': '读取', 'ex.source.notification': '通知', 'ex.sig': 'SIG（如所示）', 'ex.pending': '正在等待设备…', 'ex.plots': '实时数值', 'ex.plot': '{name}：最新 {last}，范围 {low} 到 {high}',
    'ex.log': '日志', 'ex.log.save': '保存日志', 'ex.log.clear': '清空日志', 'ex.log.none': '还没有发生任何事。', 'ex.swift': 'Swift', 'ex.explorer': '浏览所用', 'ex.adapter': '适配器 {name}',
    'ex.empty': '这里还没有用来浏览的手机。', 'ex.empty.hint': '浏览器运行在房间里的一部手机上，或者本机的蓝牙适配器上（bluelab studio --controller hci0）。', 'ex.empty.add': '添加一部用来浏览的手机', 'ex.phone': '浏览手机',
    'ex.state.unknown': '适配器正在启动。', 'ex.state.resetting': '与适配器的连接已丢失。请重新插入，浏览会自动继续。',
    'ex.state.unsupported': '没有可用的蓝牙适配器。请插入一个，或用 --controller 选择其他的。运行 bluelab doctor 查看详情。',
    'ex.state.unauthorized': '本程序没有使用蓝牙适配器的权限。请停止 bluetoothd，或授予权限：bluelab doctor 会显示命令。',
    'ex.state.poweredOff': '蓝牙已关闭。请打开：rfkill unblock bluetooth。', 'ex.state.roomOff': '手机已关闭。', 'ex.state.wait': '时间运行后，手机才会启动。',
    'ex.run': '运行时间', 'ex.turnOn': '打开', 'ex.paused': '时间静止：运行之前不会收到任何数据。',
    'ex.prompt': '配对', 'ex.prompt.accept': '{name} 请求配对。', 'ex.prompt.display': '请在 {name} 上输入这个密码：', 'ex.prompt.compare': '{name} 显示的数字相同吗？', 'ex.prompt.enter': '请输入 {name} 显示的密码：',
    'ex.prompt.allow': '配对', 'ex.prompt.refuse': '拒绝', 'ex.prompt.same': '相同', 'ex.prompt.other': '不同', 'ex.prompt.done': '完成', 'ex.prompt.cancel': '取消', 'ex.prompt.ok': '确定', 'ex.prompt.passkey': '密码',
    'ex.saved': '已保存。', 'ex.signals': '信号，最近的数据包',
    'ex.fail.adapter': '蓝牙适配器未打开。', 'ex.fail.not-connected': '设备未连接。请先连接。', 'ex.fail.unknown-device': '适配器不认识这个设备。请先扫描。', 'ex.fail.too-many': '打开的设备太多，请关闭一个。',
    'ex.fail.unknown-attribute': '设备已没有这个属性。请重新发现服务。', 'ex.fail.busy': '有太多操作在等待设备。', 'ex.fail.not-readable': '这个特征不可读。', 'ex.fail.not-writable': '这个特征不可写。',
    'ex.fail.needs-no-response': '这个特征只支持无响应写入。', 'ex.fail.needs-response': '这个特征只支持有响应写入。', 'ex.fail.not-notifying': '这个特征不支持通知。', 'ex.fail.unknown-prompt': '这个提示已不再等待回答。',
    'ex.fail.passkey': '密码是一到六位十进制数字。', 'ex.fail.nothing-recorded': '还没有记录任何操作。', 'ex.fail.too-long': '值太长。', 'ex.fail.offline': '工作室没有响应。',
    'ex.log.scan': '开始扫描所有设备', 'ex.log.stop-scan': '停止扫描', 'ex.log.state': '适配器状态：{state}', 'ex.log.discovered': '发现 {name}，{rssi} dBm', 'ex.log.connect': '连接 {name}', 'ex.log.connected': '已连接 {name}',
    'ex.log.connect-failed': '连接 {name} 失败：{reason}', 'ex.log.disconnect': '断开 {name}', 'ex.log.disconnected': '已断开 {name}', 'ex.log.disconnected-error': '{name} 断开：{reason}', 'ex.log.discover-services': '发现所有服务',
    'ex.log.services': '设备有 {count} 个服务', 'ex.log.discover-characteristics': '发现 {name} 的特征', 'ex.log.characteristics': '{name} 有 {count} 个特征', 'ex.log.discover-descriptors': '发现 {name} 的描述符', 'ex.log.descriptors': '{name} 有 {count} 个描述符',
    'ex.log.discovery-failed': '发现失败：{reason}', 'ex.log.discovery-complete': '发现完成', 'ex.log.services-changed': '设备改变了它的服务', 'ex.log.read': '读取 {name}', 'ex.log.value': '{name}：{value}', 'ex.log.notification': '{name}：{value}',
    'ex.log.read-failed': '读取 {name} 失败：{reason}', 'ex.log.write': '写入 {name}', 'ex.log.written': '已写入 {name}', 'ex.log.write-failed': '写入 {name} 失败：{reason}', 'ex.log.subscribe': '订阅 {name}', 'ex.log.unsubscribe': '取消订阅 {name}',
    'ex.log.subscribed': '{name} 开始通知', 'ex.log.unsubscribed': '{name} 不再通知', 'ex.log.subscribe-failed': '订阅 {name} 失败：{reason}', 'ex.log.ready': '缓冲区又有空间可用于无响应写入', 'ex.log.read-rssi': '读取信号强度',
    'ex.log.rssi': '信号强度为 {rssi} dBm', 'ex.log.rssi-failed': '无法读取信号强度：{reason}', 'ex.log.renamed': '设备名称为 {name}', 'ex.log.pair': '与 {name} 配对', 'ex.log.paired': '已与 {name} 配对：安全级别 {level}',
    'ex.log.pairing-failed': '与 {name} 配对失败：{reason}', 'ex.log.unpair': '删除设备的密钥', 'ex.log.unpaired': '密钥已删除', 'ex.log.no-keys': '没有这个设备的密钥', 'ex.log.accept': '接受配对', 'ex.log.refuse': '拒绝配对',
    'ex.log.cancel': '取消配对', 'ex.log.equal': '数字相同', 'ex.log.different': '数字不同', 'ex.log.enter': '输入密码', 'ex.log.prompt-accept': '{name} 请求配对', 'ex.log.prompt-display': '在 {name} 上输入密码', 'ex.log.prompt-compare': '与 {name} 比较数字', 'ex.log.prompt-enter': '输入 {name} 显示的密码',
  },
});

/** The words of a key, or the fallback if the language has none. */
export function words(key, values, fallback) {
  const text = t(key, values);
  return text === key ? fallback : text;
}

/** What went wrong, and what to do. */
export function failureText(failure) {
  const text = words(`ex.fail.${failure.code}`, {}, null);
  return text ?? [failure.text, failure.next].filter(Boolean).join(' ');
}
