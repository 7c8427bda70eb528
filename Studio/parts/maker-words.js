// The words of the maker.

import { phrase } from '../text.js';
import { register } from '../words.js';

register({
  en: {
    'maker.title': 'Device maker', 'maker.intro': 'Describe a device: what it advertises, and what a phone can read, write and subscribe to. Then run it.',
    'maker.start': 'Start from', 'maker.start.choose': 'an example…', 'maker.new': 'Empty device', 'maker.open': 'Open YAML…', 'maker.save': 'Save as YAML',
    'maker.clone': 'Clone', 'maker.clone.choose': 'a connected device…', 'maker.clone.none': 'To clone a device, connect to it in the explorer first.',
    'maker.cloned': 'The clone has the services of the device and the values that they had. It does not know how values change, or what the device does when it is written.', 'maker.clone.refused': 'The device does not let these be read, so they are empty: {list}.', 'maker.clone.omitted': '{n} attributes are beyond the limit of the explorer, and not in the clone.', 'maker.undo': 'Undo', 'maker.do.explore': 'Look at it with a phone', 'maker.phone': 'Phone',
    'maker.do.run.room': 'Run in the room', 'maker.do.run.adapter': 'Run on the adapter', 'maker.do.apply': 'Apply changes', 'maker.do.stop': 'Stop',
    'maker.inRoom': 'Runs in the room as {name}.', 'maker.do.show': 'Show it', 'maker.paused': 'Time stands still. Press play in the time bar.',
    'maker.onAdapter': 'Runs on the adapter', 'maker.advertises': 'advertising', 'maker.silent': 'not advertising', 'maker.subscriptions': 'Subscriptions: {n}',
    'maker.applied': 'The changes are applied.', 'maker.saved': 'Everything is applied.', 'maker.tooLong': 'The file has more than 128 KiB.', 'maker.unreadable': 'The file cannot be read.',
    'maker.form': 'Form', 'maker.text': 'YAML of bluelab serve', 'maker.text.hint': 'A change in the form writes this text anew, without its comments.',
    'maker.invalid': 'The form keeps the last valid version.', 'maker.valid': 'The text is valid.', 'maker.more': 'And {n} more.', 'maker.line': 'Line {line}, column {column}',
    'maker.form.invalid': 'The text keeps the last valid version until the marked fields are corrected.',
    'maker.wait': 'The studio does not answer. The draft stays here.',
    'maker.device': 'Device', 'maker.name': 'Name', 'maker.name.hint': 'What a phone shows in its list.', 'maker.summary': 'Description',
    'maker.advertisement': 'Advertisement', 'maker.response': 'Scan response',
    'maker.data': 'More data', 'maker.company': 'Company identifier', 'maker.company.hint': '0xFFFF is for tests.', 'maker.hex': 'Octets', 'maker.manufacturer': 'Manufacturer data',
    'maker.serviceData': 'Service data', 'maker.extra': 'Other advertised services', 'maker.advertise': 'Advertise it',
    'maker.left': 'Left out', 'maker.left.service': 'Service {id} needs {n} octets and does not fit.', 'maker.left.manufacturer': 'Manufacturer data {id} needs {n} octets; manufacturer and service data share {limit}.',
    'maker.left.service-data': 'Service data {id} needs {n} octets; manufacturer and service data share {limit}.',
    'maker.name.moved': 'The name needs {n} octets and does not fit here: it is in the scan response.',
    'maker.name.cut': 'The name needs {n} octets. There is room for “{sent}”.',
    'maker.name.short': 'The name needs {n} octets. The scan response has {limit} for its text, so “{sent}” is sent.',
    'maker.services': 'Services', 'maker.service': 'Service', 'maker.characteristic': 'Characteristic', 'maker.descriptor': 'Descriptor', 'maker.descriptors': 'Descriptors',
    'maker.add.service': 'Add a service', 'maker.add.characteristic': 'Add a characteristic', 'maker.add.descriptor': 'Add a descriptor', 'maker.add.effect': 'Add an effect', 'maker.add': 'Add', 'maker.remove': 'Remove', 'maker.remove.of': 'Remove {name}',
    'maker.none': 'No service yet. A service groups values, such as Heart Rate or Battery.', 'maker.uuid': 'Name or UUID', 'maker.uuid.hint': 'A name of the SIG, or your own UUID.', 'maker.random': 'Own UUID', 'maker.primary': 'Primary service', 'maker.includes': 'Includes',
    'maker.properties': 'What a phone can do', 'maker.p.read': 'Read', 'maker.p.write': 'Write', 'maker.p.write-without-response': 'Write without response', 'maker.p.notify': 'Notify', 'maker.p.indicate': 'Indicate (confirmed)', 'maker.p.signed-write': 'Signed write',
    'maker.security': 'Only after pairing (encrypted)', 'maker.s.read': 'Read', 'maker.s.write': 'Write', 'maker.s.notify': 'Notify',
    'maker.format': 'Format', 'maker.value': 'Value', 'maker.kind': 'The value', 'maker.k.constant': 'stays', 'maker.k.counter': 'counts', 'maker.k.sine': 'swings (sine)', 'maker.k.random-walk': 'walks at random', 'maker.k.replay': 'replays a list', 'maker.k.clock': 'is the time',
    'maker.minimum': 'Minimum', 'maker.maximum': 'Maximum', 'maker.step': 'Step', 'maker.every': 'Every', 'maker.period': 'Period', 'maker.begin': 'Start', 'maker.seed': 'Seed', 'maker.values': 'Values', 'maker.values.hint': 'With commas between them.', 'maker.repeat': 'Repeat', 'maker.clock': 'Clock',
    'maker.factor': 'Factor', 'maker.prefix': 'Octets before', 'maker.suffix': 'Octets after', 'maker.notify': 'Notify every', 'maker.first': 'First value: {octets}', 'maker.means': 'that means {text}', 'maker.preview': 'The next values, from {low} to {high}',
    'maker.rules': 'Rules', 'maker.read.error': 'Refuse reads with', 'maker.read.delay': 'Answer reads after', 'maker.length': 'Length', 'maker.length.hint': '2, or 1-20', 'maker.allowed': 'Only these values', 'maker.write.error': 'Refuse others with', 'maker.effects': 'A write changes',
    'maker.target': 'Characteristic', 'maker.effect': 'Effect', 'maker.e.echo': 'send the same octets back', 'maker.e.value': 'set a value', 'maker.e.linear': 'set factor × number + offset', 'maker.offset': 'Offset', 'maker.normal': 'normal',
  },
  zh: {
    'maker.title': '设备制作', 'maker.intro': '描述一个设备：它广播什么，手机能读取、写入和订阅什么。然后运行它。',
    'maker.start': '从示例开始', 'maker.start.choose': '…', 'maker.new': '空设备', 'maker.open': '打开 YAML…', 'maker.save': '保存为 YAML',
    'maker.clone': '克隆', 'maker.clone.choose': '已连接的设备…', 'maker.clone.none': '要克隆设备，请先在探索器中连接它。',
    'maker.cloned': '克隆包含设备的服务和当时的值。它不知道值如何变化，也不知道写入时设备会做什么。', 'maker.clone.refused': '设备不允许读取这些值，因此它们为空：{list}。', 'maker.clone.omitted': '还有 {n} 个属性超出探索器的限制，不在克隆中。', 'maker.undo': '撤销', 'maker.do.explore': '用手机查看', 'maker.phone': '手机',
    'maker.do.run.room': '在房间里运行', 'maker.do.run.adapter': '在适配器上运行', 'maker.do.apply': '应用更改', 'maker.do.stop': '停止',
    'maker.inRoom': '正在房间里运行：{name}。', 'maker.do.show': '显示', 'maker.paused': '时间已暂停，请在时间栏按播放。',
    'maker.onAdapter': '正在适配器上运行', 'maker.advertises': '正在广播', 'maker.silent': '未广播', 'maker.subscriptions': '订阅：{n}',
    'maker.applied': '更改已应用。', 'maker.saved': '全部更改都已应用。', 'maker.tooLong': '文件超过 128 KiB。', 'maker.unreadable': '无法读取文件。',
    'maker.form': '表单', 'maker.text': 'bluelab serve 的 YAML', 'maker.text.hint': '在表单中修改会重写这段文本，注释会丢失。',
    'maker.invalid': '表单保留最后一个有效版本。', 'maker.valid': '文本有效。', 'maker.more': '还有 {n} 处。', 'maker.line': '第 {line} 行，第 {column} 列',
    'maker.form.invalid': '修正标出的字段之前，文本保留最后一个有效版本。',
    'maker.wait': '工作室没有响应，草稿保留在这里。',
    'maker.device': '设备', 'maker.name': '名称', 'maker.name.hint': '手机列表中显示的名称。', 'maker.summary': '说明',
    'maker.advertisement': '广播', 'maker.response': '扫描响应',
    'maker.data': '更多数据', 'maker.company': '公司标识', 'maker.company.hint': '0xFFFF 供测试使用。', 'maker.hex': '字节', 'maker.manufacturer': '厂商数据',
    'maker.serviceData': '服务数据', 'maker.extra': '其他广播的服务', 'maker.advertise': '广播此服务',
    'maker.left': '未发送', 'maker.left.service': '服务 {id} 需要 {n} 字节，放不下。', 'maker.left.manufacturer': '厂商数据 {id} 需要 {n} 字节；厂商数据和服务数据共用 {limit} 字节。',
    'maker.left.service-data': '服务数据 {id} 需要 {n} 字节；厂商数据和服务数据共用 {limit} 字节。',
    'maker.name.moved': '名称需要 {n} 字节，这里放不下，移到扫描响应中。',
    'maker.name.cut': '名称需要 {n} 字节，放得下的是“{sent}”。',
    'maker.name.short': '名称需要 {n} 字节。扫描响应只有 {limit} 字节给名称，因此发送“{sent}”。',
    'maker.services': '服务', 'maker.service': '服务', 'maker.characteristic': '特征', 'maker.descriptor': '描述符', 'maker.descriptors': '描述符',
    'maker.add.service': '添加服务', 'maker.add.characteristic': '添加特征', 'maker.add.descriptor': '添加描述符', 'maker.add.effect': '添加效果', 'maker.add': '添加', 'maker.remove': '删除', 'maker.remove.of': '删除 {name}',
    'maker.none': '还没有服务。服务把值组合在一起，例如心率或电池。', 'maker.uuid': '名称或 UUID', 'maker.uuid.hint': 'SIG 的名称，或自己的 UUID。', 'maker.random': '自己的 UUID', 'maker.primary': '主要服务', 'maker.includes': '包含',
    'maker.properties': '手机可以做什么', 'maker.p.read': '读取', 'maker.p.write': '写入', 'maker.p.write-without-response': '无响应写入', 'maker.p.notify': '通知', 'maker.p.indicate': '指示（需确认）', 'maker.p.signed-write': '签名写入',
    'maker.security': '仅在配对后（加密）', 'maker.s.read': '读取', 'maker.s.write': '写入', 'maker.s.notify': '通知',
    'maker.format': '格式', 'maker.value': '值', 'maker.kind': '值的变化', 'maker.k.constant': '不变', 'maker.k.counter': '计数', 'maker.k.sine': '摆动（正弦）', 'maker.k.random-walk': '随机游走', 'maker.k.replay': '重放列表', 'maker.k.clock': '当前时间',
    'maker.minimum': '最小值', 'maker.maximum': '最大值', 'maker.step': '步长', 'maker.every': '间隔', 'maker.period': '周期', 'maker.begin': '起始值', 'maker.seed': '随机种子', 'maker.values': '值', 'maker.values.hint': '用逗号分隔。', 'maker.repeat': '重复', 'maker.clock': '时钟',
    'maker.factor': '系数', 'maker.prefix': '前置字节', 'maker.suffix': '后置字节', 'maker.notify': '通知间隔', 'maker.first': '第一个值：{octets}', 'maker.means': '含义：{text}', 'maker.preview': '接下来的值，从 {low} 到 {high}',
    'maker.rules': '规则', 'maker.read.error': '拒绝读取，错误', 'maker.read.delay': '延迟响应', 'maker.length': '长度', 'maker.length.hint': '2，或 1-20', 'maker.allowed': '只允许这些值', 'maker.write.error': '拒绝其他值，错误', 'maker.effects': '写入会改变',
    'maker.target': '特征', 'maker.effect': '效果', 'maker.e.echo': '原样发回', 'maker.e.value': '设置值', 'maker.e.linear': '设为 系数 × 数值 + 偏移', 'maker.offset': '偏移', 'maker.normal': '正常',
  },
});

/** A message of the reader in the chosen language, as a sentence. */
export function problemText(text) {
  const sentence = phrase(text, 200);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
