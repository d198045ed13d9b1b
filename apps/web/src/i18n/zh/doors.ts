/** The words before the conversation: whose browser this is, and whose state directory; loaded where one of the two is asked. */

import type { HomeItem } from "@mimikit/protocol/wire/api";
import type * as en from "../en/doors.ts";

export const doorWords: typeof en.doorWords = {
  adoption: {
    title: "这个状态目录是你的吗？",
    text: (home: string) =>
      `${home} 不是在这台机器上由你创建的，所以其中的内容都不会运行。如果它来自别人的仓库或压缩包，请停止 Mimikit 并删除它；如果是你自己的，信任后下列内容就会运行或生效。`,
    nothing: "其中没有会运行或生效的内容。",
    kinds: {
      setting: "config.yaml 中的设置",
      command: "收件箱中的命令",
      task: "任务",
      result: "将要生效的结果",
      trigger: "触发器",
      skill: "技能",
      file: "会写进每个提示词的文件",
      browser: "已登录的浏览器",
    } satisfies Record<HomeItem["kind"], string>,
    more: (count: number) => `另有 ${count.toLocaleString("zh")} 项。`,
    accept: "是我的，信任它",
    done: "已信任，Mimikit 马上继续工作。",
  },
  pairTitle: "配对这个浏览器",
  pairText:
    "Mimikit 只响应已配对的浏览器。在已配对的浏览器里，“设置 → 设备 → 添加设备”会显示一个配对码。也可以在运行 Mimikit 的电脑上执行下面的命令，然后打开它给出的链接，或输入它给出的配对码：",
  pairCommand: "mimikit pair",
  pairStart: "“npm start” 也会显示一个链接。配对码只能用一次，十分钟内有效。",
  pairCode: "配对码，或整个链接",
  pair: "配对",
  pairing: "正在配对…",
  pairExpired: "这个配对码已经用过，或者超过了十分钟。请换一个新的。",
  pairRefused: "Mimikit 不认识这个配对码。请检查一遍，或换一个新的。",
  pairLocked: "错误的配对码太多。请等五分钟再试。",
  pairForeign: (url: string) =>
    `Mimikit 不认识这个地址。请在运行它的电脑上执行：mimikit config set publicUrl ${url}  然后执行：mimikit restart`,
  pairUnreachable: "Mimikit 没有回应。它在运行吗？“npm start” 可以启动它。",
};
