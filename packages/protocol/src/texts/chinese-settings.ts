/** The description of each setting in Chinese; the schema has the English one. `*` stands for a role, `@` for a provider. */

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  host: "网关监听的地址。",
  port: "网关监听的端口。",
  allowedHosts: "除本机外，网关还接受哪些主机名的访问。监听的不是本机地址时，至少要有一个。",
  publicUrl:
    "你的其他设备访问页面的地址，例如 `https://mimikit.example`：网关接受以这个名称访问，`mimikit pair` 也会打印它。",
  timezone:
    "你所说的时间属于哪个时区，例如 `Asia/Shanghai`，不管从哪里发消息。不设置则用发消息的设备的时区，否则用最近登录的浏览器的时区，再否则用这台机器的时区。",
  provider: "使用的服务商；`auto` 依次取第一个可用的，都不可用时使用内置引擎。",
  "providers.*": "* 使用的服务商；不设置则与 `provider` 相同。",
  fallback: "前面的都无法连接时，依次使用的备用服务商。",
  "fallbacks.*": "* 的备用服务商；不设置则与 `fallback` 相同。",
  "context.historyTokens":
    "一次请求里对话最多占多少 token，适用于上下文窗口超过 16,384 token 的模型；最多是窗口的一半。",
  "context.memoryTokens":
    "一次请求里记忆最多占多少 token，适用于上下文窗口超过 16,384 token 的模型；最多是窗口的八分之一。",
  "circuit.cooldownSec": "服务商无法连接时，先停用它多少秒。",
  "circuit.cooldownMaxSec": "如果一直无法连接，停用时间最多延长到多少秒。",
  prices:
    "各个模型的 token 价格，按模型名称填写：每一百万个 token 的 `input`、`cached`、`output` 各多少美元。用环境变量设置时写成 JSON。",
  model: "向模型接口请求的模型，用它在那里的名称。",
  "models.*": "* 使用的模型；不设置则与 `model` 相同。",
  effort: "模型的推理强度，`none` 为不推理：用于 openai、anthropic 和 google；不设置则由模型自己决定。",
  "efforts.*": "* 的模型的推理强度；不设置则与 `effort` 相同。",
  "@.baseUrl": "接口的地址；不设置则用服务商自己的地址。",
  "@.model": "请求的模型，用它在那里的名称。",
  "@.contextWindow": "模型能容纳的 token 数，发送的和回答的合计；不设置则取该模型的已知值。",
  "@.reservedOutput": "窗口里为回答（包括思考）保留的 token 数，最多为窗口的一半。",
  "@.vision": "模型是否看得懂图片；不设置则取该模型的已知值。",
  "@.audio": "模型是否听得懂录音；不设置则取该模型的已知值。",
  "@.firstByteSec": "接口最多可以过多少秒才开始回答。",
  "@.idleSec": "回答途中接口最多可以沉默多少秒。",
  "openai.baseUrl": "Chat Completions 或 Responses 接口的地址，写到 `/v1` 为止；只有密钥时用 OpenAI 的地址。",
  "openai.contextWindow": "模型能容纳的 token 数，发送的和回答的合计；不设置时取该模型的已知值，否则为 16384。",
  "openai.reservedOutput": "窗口里为回答保留的 token 数；不设置则为 2048，通过 Responses 请求的模型为 32000。",
  "openai.api":
    "通过哪种接口请求模型：`auto` 在 OpenAI、Azure 以及接口要求时用 Responses，其他情况用 Chat Completions。",
  "openai.toolCalls": "模型是否能调用工具。如果不能，会让它在回答末尾写标签。",
  "openai.vision": "模型是否看得懂图片；不设置则自动判断，见 attachments.md。",
  "openai.audio": "模型是否听得懂录音；不设置则自动判断。",
  "codex.baseUrl": "OpenAI Responses 接口的地址，写到 `/v1` 为止；只有密钥时用 OpenAI 的地址。",
  "codex.network": "由 codex 担任的 Worker 执行命令时能否访问网络。",
  "codex.idleSec": "没有工具在运行时，命令行程序最多可以沉默多少秒。",
  "claude.baseUrl": "Anthropic Messages 接口的地址，不含 `/v1`；不设置则用 Anthropic 的地址。",
  "claude.idleSec": "没有工具在运行时，命令行程序最多可以沉默多少秒。",
  sandbox:
    "Worker 的命令是否在沙箱中运行，不能访问状态目录：`auto` 在 bubblewrap 可用时启用，`required` 在不可用时不执行任何命令。",
  autonomy:
    "模型可以自行做什么：`ask` 每条命令都先询问，`workspace` 在超出工作区及其沙箱时询问，`full` 从不询问；见 autonomy.md。",
  "web.fetch": "能否用 `web_fetch` 读取网页；是否先询问，由 `autonomy` 决定，与需要网络的命令相同。",
  "web.hosts": "只从这些主机读取网页，`*.example.org` 表示它下面的所有主机；不设置则不限主机。",
  "web.privateHosts": "地址在本机或私有网络里的主机中，只有这些可以读取网页。",
  "web.search.engine":
    "`web_search` 用哪个搜索引擎；不设置就没有这个工具。brave 的密钥在 BRAVE_API_KEY，tavily 的在 TAVILY_API_KEY，也可以像服务商的密钥一样保存；searxng 需要地址。",
  "web.search.url": "搜索引擎的地址；searxng 必须设置，例如 `https://search.example`，其他的不设置则用自己的地址。",
  "proxy.url":
    "代理的地址，例如 `http://proxy.example:3128`；不设置则用变量 HTTPS_PROXY、HTTP_PROXY 和 ALL_PROXY。访问本机从不经过代理。",
  "proxy.noProxy":
    "不经过代理的主机：`lan.example` 及其子域名、`192.168.0.0/16`、带端口的主机，`*` 表示全部；不设置则用变量 NO_PROXY。",
  maxConcurrency: "同时进行多少个 Worker 任务。",
  ownOrdersMax: "只根据结果报告、没有你的话，最多可以连续安排多少个计划；超过后会先问你。",
  "paused.*": "是否暂停 * 的队列：排队的任务先不开始，正在运行的继续（`mimikit queue`）。",
  "timeoutSec.teller": "Teller 的一轮最多多少秒。",
  "timeoutSec.planner": "一次计划最多多少秒。",
  "timeoutSec.worker": "Worker 的一个任务最多多少秒，任务自己另有规定的除外。",
  "timeoutSec.evaluation": "一批语义条件最多判断多少秒。",
  "timeoutSec.reviewer": "审查一次自我改进最多多少秒。",
  "budget.day.tokens": "一天（按服务器的日历）最多用多少 token，输入输出合计。",
  "budget.day.costUsd": "一天（按服务器的日历）最多花多少美元。",
  "budget.month.tokens": "一个月最多用多少 token，输入输出合计。",
  "budget.month.costUsd": "一个月最多花多少美元。",
  "budget.task.tokens": "一次计划、一个任务或一批条件最多用多少 token，所有尝试合计，输入输出合计。",
  "budget.task.costUsd": "一次计划、一个任务或一批条件最多花多少美元，所有尝试合计。",
  "budget.reserve.*": "* 运行时，在得知实际用量之前先按多少 token 计算。",
  "selfImprove.enabled": "空闲时是否在工作区里寻找可以改进的地方；这会花钱。",
  "selfImprove.idleSec": "空闲多少秒之后才开始寻找；每次没有找到，等待时间加倍，最长一天。",
  "selfImprove.budget.tokens": "自我改进一天最多用多少 token，输入输出合计。",
  "selfImprove.budget.costUsd": "自我改进一天最多花多少美元。",
  "selfImprove.checks": "用来检查改动的命令；不设置则用 package.json 里的 `test` 脚本。",
  "selfImprove.checkSec": "其中一条命令最多运行多少秒。",
  "selfImprove.merge": "通过审查的改动是否也合并，前提是不妨碍用户自己的修改。",
  "channels.notify": "通知还发到哪些渠道；不设置则发到所有已设置的渠道。",
  "pools.url": "把任务送到其他机器的 Redis 或 Valkey 的地址，例如 `redis://192.0.2.1:6379`。",
  "pools.askSec": "一台有任务的机器多少秒没有消息后，询问你是否放弃这些任务。",
  "pools.leaseSec": "一台机器断开连接多少秒后，停止它正在运行的任务；两倍时间之后，这里视为失去这台机器。",
  retryDelaySec: "任务因为暂时的原因失败后，过多少秒再试一次。",
  watchdogSec: "一个进程的循环停住多少秒后，由另一个进程结束它，再由 PM2 重新启动；0 表示从不。",
  tickMs: "每隔多少毫秒查看一次状态。",
  rereadSec: "每隔多少秒完整读取一次状态，以防漏掉文件通知。",
  runsKeepDays: "一次运行的临时文件夹保留多少天。",
  archiveFoldDays: "归档的记录过多少天后合并到当月的文件里。",
  "process.heapMb": "一个进程的堆最多用多少 MB；需要更多的进程会结束，然后重新启动。",
  "process.youngMb": "堆的新生代每一半有多少 MB；越大越占内存，但能省一点时间。",
  "process.searchHeapMb": "搜索记忆的线程的堆最多用多少 MB；没有这个线程就没有索引。",
  logLevel: "最低记录到哪个级别的日志。",
};

/** undefined for a setting that is not in the list. */
export function chineseDescription(name: string): string | undefined {
  const exact = DESCRIPTIONS[name];
  if (exact !== undefined) return exact;
  const [last = ""] = name.split(".").slice(-1);
  const role = `${last.charAt(0).toUpperCase()}${last.slice(1)}`;
  const ofRole = DESCRIPTIONS[`${name.slice(0, -last.length)}*`]?.replaceAll("*", role);
  const [, field] = name.split(".");
  return ofRole ?? DESCRIPTIONS[`@.${field}`];
}
