/** The words for what a model may do without asking, in the language of the page. */
import type * as en from "../en/autonomy.ts";

export const autonomyWords: typeof en.autonomyWords = {
  title: "模型可以自行做什么",
  modes: { ask: "每次询问", workspace: "限于工作区", full: "不再询问" },
  meaning: {
    ask: "每条命令执行前都会询问你，涉及工作区以外时也会询问。",
    workspace: "命令在工作区的沙箱里执行。需要联网或修改其他位置的文件时会先询问你；没有沙箱时，每条命令都会询问。",
    full: "不会询问你。",
  },
  allowed: "你已始终允许以下命令，执行前不再询问：",
  holdsNoMore: "会再次询问：这个程序会运行其他程序",
  askAgain: "恢复询问",
  askAgainFor: (prefix) => `执行 ${prefix} 前恢复询问`,
  reaches: {
    command: "在沙箱内",
    network: "联网",
    outside: "其他位置的文件",
    "no-sandbox": "没有沙箱",
    level: "不只是读取",
  },
};
