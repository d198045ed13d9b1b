/** The words of the first steps and of what is empty, in the language of the page. */
import type * as en from "../en/first.ts";

export const firstWords: typeof en.firstWords = {
  title: "快速上手",
  titleHint: "模型、权限、第一个请求、通知、手机",
  hide: "隐藏",
  done: "已完成",
  passed: "已跳过",
  afterAll: "现在就做",
  notNow: "以后再说",

  modelIs: (name: string) => `使用的模型：${name}`,
  goOnWithout: "先不连接",
  offline: "没有连接模型时，由内置引擎回答：它能运行命令、设置提醒、定时重复，也能记住事情。",
  ask: "让它做一件事",
  examples: [
    { text: "你能做什么", why: "列出它能做的事" },
    { text: "20分钟后提醒我活动一下", why: "只提醒一次，关闭页面也有效" },
    { text: "每天9点运行 `df -h .`", why: "到时自动执行，直到你取消" },
  ],
  notifications: "通知",
  notificationsText: "页面在后台时，问题和提醒可以作为通知显示在这台设备上。只有在这里允许后才会显示。",
  notificationsDenied: "浏览器拒绝了这个地址的通知，可以在站点设置里更改。",
  phone: "添加其他设备",
  phoneText: "用手机或另一个浏览器扫描二维码，或在那里输入配对码。`mimikit pair --qr` 会在终端里显示这两样。",
  onlyHere:
    "按目前的设置，只有这台电脑能访问它：把 “publicUrl” 设为带 TLS 的代理的地址，或把 “host” 和 “allowedHosts” 设为你网络里的地址后，手机才能访问。",
  onlyHereSettings: "前往这些设置",

  sayFirst: "说第一句话",
  otherWords: "换几个词",
  boardExample: "运行 `date` 然后 `df -h .`",
  showPlans: "显示计划",
  firstBacklog: "添加第一条待办",
  firstMemory: "记住一件事",
  skillExample: "保存一个示例",
  skillWhere: "把示例放到 ~/.config/mimikit/skills/changelog-style/SKILL.md，再按需要修改。",
  skillText:
    "---\nname: changelog-style\ndescription: 这个项目怎样写更新日志。向 CHANGELOG.md 写内容时使用。\n---\n每个更改写一行，用用户的说法。\n",
  setUp: "进行设置",
  setBudget: "设置预算",
  allLines: "显示所有行",
};
