// How the page shows a failure: what was tried, what happened, what to do next.

import { phrase } from './text.js';
import { register, t } from './words.js';

// The commands that a person starts; those that the page sends by itself have no words.
register({
  en: {
    'tried.time.run': 'Start the time', 'tried.time.pause': 'Stop the time', 'tried.time.speed': 'Change the speed', 'tried.time.step': 'Go to the next packet', 'tried.time.seek': 'Go to another moment',
    'tried.room.scene': 'Begin a scene', 'tried.room.add': 'Add a device', 'tried.room.remove': 'Remove a device', 'tried.room.move': 'Move a device', 'tried.room.power': 'Switch a device', 'tried.room.loss': 'Change the loss of a device',
    'tried.room.rename': 'Rename a device', 'tried.room.platform': 'Change the platform of a device', 'tried.room.wall': 'Build a wall', 'tried.room.unwall': 'Remove a wall', 'tried.room.environment': 'Change the radio', 'tried.room.act': 'Use a device', 'tried.room.attenuation': 'Change the loss of a wall',
    'tried.room.open': 'Open a world', 'tried.room.back': 'Bring back a room', 'tried.room.text': 'Copy the room', 'tried.world': 'Save the room', 'tried.room.undo': 'Undo', 'tried.room.redo': 'Redo',
    'tried.explorer.do': 'Use the explorer', 'tried.explorer.filter': 'Filter the scan', 'tried.explorer.validate': 'Check the value', 'tried.explorer.log': 'Save the log', 'tried.explorer.script': 'Save the script',
    'tried.lesson.open': 'Open a lesson', 'tried.lesson.next': 'Go to the next step', 'tried.lesson.go': 'Go to a step', 'tried.lesson.packets': 'Show the packets of a step', 'tried.lesson.act': 'Change the scene', 'tried.lesson.project': 'Copy the program',
    'tried.maker.run': 'Run the profile', 'tried.maker.apply': 'Apply the changes', 'tried.maker.stop': 'Stop the profile', 'tried.maker.clone': 'Clone a device',
    'tried.packets.detail': 'Show a packet', 'tried.packets.list': 'List the packets', 'tried.packets.pcapng': 'Save the packets', 'tried.packets.btsnoop': 'Save the packets',
    'failure.and': '{tried}: {happened}', 'failure.next': '{text} {next}',
  },
  zh: {
    'tried.time.run': '运行时间', 'tried.time.pause': '暂停时间', 'tried.time.speed': '更改速度', 'tried.time.step': '前进到下一个数据包', 'tried.time.seek': '跳到另一时刻',
    'tried.room.scene': '开始场景', 'tried.room.add': '添加设备', 'tried.room.remove': '移除设备', 'tried.room.move': '移动设备', 'tried.room.power': '开关设备电源', 'tried.room.loss': '更改设备的丢包率',
    'tried.room.rename': '重命名设备', 'tried.room.platform': '更改设备的平台', 'tried.room.wall': '添加墙', 'tried.room.unwall': '移除墙', 'tried.room.environment': '更改无线环境', 'tried.room.act': '操作设备', 'tried.room.attenuation': '更改墙的衰减',
    'tried.room.open': '打开世界', 'tried.room.back': '恢复房间', 'tried.room.text': '复制房间', 'tried.world': '保存房间', 'tried.room.undo': '撤销', 'tried.room.redo': '重做',
    'tried.explorer.do': '使用探索器', 'tried.explorer.filter': '筛选扫描结果', 'tried.explorer.validate': '检查值', 'tried.explorer.log': '保存日志', 'tried.explorer.script': '保存脚本',
    'tried.lesson.open': '打开课程', 'tried.lesson.next': '前进到下一步', 'tried.lesson.go': '跳到某一步', 'tried.lesson.packets': '显示这一步的数据包', 'tried.lesson.act': '更改场景', 'tried.lesson.project': '复制程序',
    'tried.maker.run': '运行配置文件', 'tried.maker.apply': '应用更改', 'tried.maker.stop': '停止配置文件', 'tried.maker.clone': '克隆设备',
    'tried.packets.detail': '显示数据包', 'tried.packets.list': '列出数据包', 'tried.packets.pcapng': '保存数据包', 'tried.packets.btsnoop': '保存数据包',
    'failure.and': '{tried}：{happened}', 'failure.next': '{text}{next}',
  },
});

/** The studio cannot be reached. */
export const OFFLINE = {
  code: 'offline', text: { en: 'The studio does not answer.', zh: '工作室没有响应。' },
  next: { en: 'The page connects again by itself; try again then.', zh: '页面会自动重新连接，请稍后再试。' },
};

/** What a command does; null for one without words. Those of the lesson's world and of a capture have the words of the room. */
function triedText(command) {
  for (const name of [command, command?.replace(/^(lesson|capture)\./, '')]) {
    const key = `tried.${name}`;
    const text = t(key);
    if (text !== key) return text;
  }
  return null;
}

/** A failure {code, text, next, command} of `studio.do` or `studio.download` as one text in the chosen language. */
export function failureText(failure) {
  const happened = failure?.text ? phrase(failure.text, 300) : String(failure?.message ?? failure);
  const tried = triedText(failure?.command);
  const text = tried === null ? happened : t('failure.and', { tried, happened });
  return failure?.next ? t('failure.next', { text, next: phrase(failure.next, 300) }) : text;
}
