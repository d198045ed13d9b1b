/** The words of the card that connects a model, and of the list of who answers in which order. */

import type { Cause } from "@mimikit/protocol/base/cause";
import { API_TITLES, type ModelApi } from "@mimikit/protocol/base/provider";
import type { OfferedModel } from "@mimikit/protocol/wire/connect";
import { costText, numberText } from "../base/format.ts";
import type * as en from "../en/connect.ts";

/** Advice, by why a model did not answer. */
const ADVICE: Record<Cause, string> = {
  key: "密钥或登录被拒绝，请换一个。",
  credit: "额度已用完。请到创建密钥的地方充值，或换一个模型。",
  limit: "已达到使用上限。请等待，或换一个模型。",
  model: "没有这个模型，请从列表中选择。",
  tools: "这个模型不能调用工具，请换一个。",
  window: "这个模型的上下文窗口太小，请换一个。",
  withheld: "模型或过滤器拒绝给出回答，请换一个。",
  region: "它不向这个国家或地区提供服务，请换一个服务商。",
  request: "它不接受这样的请求，请换一个模型。",
  down: "没有响应。服务器在运行吗？地址正确吗？",
  program: "程序无法使用。请安装或登录后重新检查。",
  busy: "服务繁忙，请稍后再测试。",
  other: "没有得到回答。",
};

const known = (value: boolean | null): string => (value === null ? "未知" : value ? "支持" : "不支持");

export const connectWords: typeof en.connectWords = {
  provider: "服务商",
  choose: "请选择…",
  openai: "OpenAI 或兼容的接口",
  kinds: {
    endpoint: "使用密钥",
    local: "这台电脑或局域网",
    program: "通过程序，使用订阅或密钥",
  },
  found: "在这台电脑上找到",
  foundServer: (title: string, address: string, models: number) => `${title}，${address}（${models} 个模型）`,
  isLooking: "正在这台电脑上查找模型…",
  noneFound: "这台电脑上没有找到模型服务器。",
  key: "密钥",
  optionalKey: "密钥（如果需要）",
  keyKept: "已保存密钥。留空则继续使用。",
  keyLocked: (variable: string) =>
    `密钥来自环境变量 ${variable}，以它为准。要换成别的，请在启动 Mimikit 的地方取消它。`,
  keyPage: "在哪里创建密钥",
  forgetKey: "删除密钥",
  keyForgotten: "密钥已删除。",
  address: "地址",
  otherAddress: "其他地址",
  addressHint: "任何使用相同协议的地址，写到版本号为止。",
  signIn: "在运行 Mimikit 的电脑上，用这个命令登录：",
  orKey: "或使用密钥",
  checkAgain: "重新检查",
  checking: "正在检查…",
  isReady: "已可以使用。",
  lacks: (what: string) => `还缺少：${what}`,
  test: "测试",
  testing: "正在测试…",
  testHint: "列出模型；选定模型后会发送一个很小的请求。",
  answered: (model: string, latency: string) => `${model} 用 ${latency} 作出了回答。`,
  listed: (n: number) => `共有 ${numberText(n)} 个模型。`,
  tools: "工具",
  vision: "图片",
  window: "上下文窗口",
  price: "价格",
  known,
  tokens: (n: number | null, assumed?: number) => {
    if (n !== null) return `${numberText(n)} 个 token`;
    return assumed === undefined ? known(null) : `未知，按 ${numberText(assumed)} 个 token 计`;
  },
  perMillion: (price: { input: number; output: number } | null) =>
    price === null ? known(null) : `每百万 token 输入 ${costText(price.input)}，输出 ${costText(price.output)}`,
  offered: ({ contextWindow, toolCalls, vision }: OfferedModel) =>
    [
      ...(contextWindow === undefined ? [] : [connectWords.tokens(contextWindow)]),
      ...(toolCalls === false ? ["不支持工具"] : []),
      ...(vision === true ? ["能看图片"] : []),
    ].join(" · "),
  model: "模型",
  modelHint: "输入名称，或输入一部分在列表中查找。",
  ownModel: "留空则由程序自己选择。",
  models: "模型列表",
  more: (n: number) => `还有 ${numberText(n)} 个：输入文字查找`,
  nearest: "相近的名称：",
  advice: (cause: Cause) => ADVICE[cause] ?? ADVICE.other,
  answersFor: "负责",
  save: "保存",
  saving: "正在保存…",
  saved: "已保存，马上生效。",
  answersNow: (models: string) => `现在由 ${models} 回答`,

  forNext: "只用于下一条消息",
  forGood: "从现在起一直使用",

  order: "备用",
  orderText: "无法连接的服务商会暂停使用一段时间，由下一个来回答。",
  changeOrder: "更改顺序",
  stateOf: {
    closed: "目前可用",
    open: "暂不使用",
  },
  askedOver: (api: ModelApi) => `通过 ${API_TITLES[api]} 请求`,
  triedAt: (moment: string) => `${moment} 再次尝试`,
  tryNow: "立即重试",
  tried: "已重新尝试。",
};
