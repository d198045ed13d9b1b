/** The words of what stands behind the name of the model in the top line. */
import type * as en from "../en/overview.ts";

export const overviewWords: typeof en.overviewWords = {
  connectModel: "连接模型",
  connectAbout: "选择由哪个模型回答。密钥只保存在运行 Mimikit 的电脑上，放在只有你能读取的文件里。",
  connectOpen: "选择服务商",
  offlineEngine: "没有连接模型，由内置引擎回答：发送“帮助”查看它能做什么。",
  passedOver: "自动选择时跳过",
  tokensInOut: (input: string, output: string) => `输入 ${input} 个 token，输出 ${output} 个`,
  tool: "工具",
  calls: "调用",
  failedCalls: "失败",
  meanTime: "平均用时",
  budgetOfDay: "今日预算",
  budgetOfMonth: "本月预算",
  tokensOf: (spent: string, limit: string) => `${spent} / ${limit} 个 token`,
  costOf: (spent: string, limit: string) => `${spent} / ${limit}`,
  reserved: (tokens: string) => `正在进行的工作预留 ${tokens} 个 token`,
  budgetReached: (until: string) => `已用完：工作会等到 ${until}。你的消息仍会得到回复。`,
};
