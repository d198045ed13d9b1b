/** The Chinese of sentences that other parts of Mimikit make and that have no code: found by their form, as those with codes are. */

/** By their English, where `{name}` is any text. */
export const SENTENCES: Readonly<Record<string, string | undefined>> = {
  // The state directory.
  "{path} is a link, and this state directory was not made here: remove it, or name the directory with MIMIKIT_HOME":
    "{path} 是链接，而这个状态目录不是在这里创建的：请移除它，或用 MIMIKIT_HOME 指定目录",
  "{path} cannot be written ({reason}): set XDG_STATE_HOME to a directory that can, or name {home} with MIMIKIT_HOME":
    "无法写入 {path}（{reason}）：请把 XDG_STATE_HOME 设为可写的目录，或用 MIMIKIT_HOME 指定 {home}",
  "{path} does not exist: nothing was started here yet": "{path} 不存在：这里还没有启动过",
  "{path} is not a regular file: remove it": "{path} 不是普通文件：请移除",
  "{path} cannot be read ({reason})": "无法读取 {path}（{reason}）",
  "{path} can be read by others (mode {mode}): run  chmod 600 '{same}'":
    "其他用户可以读取 {path}（权限 {mode}）：请运行  chmod 600 '{same}'",
  "{path} does not hold a token of 64 hex digits: remove it, and the next start makes a new one":
    "{path} 里不是 64 位十六进制的令牌：请移除，下次启动时会重新生成",
  "{path} belongs to another user (uid {uid}): choose another MIMIKIT_HOME":
    "{path} 属于其他用户（uid {uid}）：请换一个 MIMIKIT_HOME",
  "{path} belongs to another user: remove it": "{path} 属于其他用户：请移除",
  "{path} is longer than {max} bytes": "{path} 超过 {max} 字节",
  "{path} says no version: put back what it said, or restore a backup":
    "{path} 里没有版本：请恢复原来的内容，或恢复备份",
  "the state in {home} is of version {state}, written by Mimikit {program}, and Mimikit {version} knows up to {known}: update it (mimikit update), or restore a backup of before":
    "{home} 里的状态是版本 {state}，由 Mimikit {program} 写入，而 Mimikit {version} 只支持到 {known}：请更新（mimikit update），或恢复之前的备份",
  "the state in {home} is of version {state}: stop what runs and call  mimikit up , which makes a backup and carries it forward":
    "{home} 里的状态是版本 {state}：请停止正在运行的进程，再运行 mimikit up，它会先备份再升级",
  "the workspace is Mimikit's own folder, as its {folder} is there; MIMIKIT_WORK_DIR names another":
    "工作区就是 Mimikit 自己的文件夹，因为 {folder} 在那里；可以用 MIMIKIT_WORK_DIR 另外指定",
  "made {workDir}, the workspace, because this is Mimikit's own folder; MIMIKIT_WORK_DIR names another":
    "已创建工作区 {workDir}，因为这里是 Mimikit 自己的文件夹；可以用 MIMIKIT_WORK_DIR 另外指定",

  "hook {name}: on {events} calls {url}": "钩子 {name}：{events} 时调用 {url}",
  "hook {name}: on {events} runs {command}": "钩子 {name}：{events} 时运行 {command}",
  "hook {name}: a signed delivery to it runs the trigger {trigger}":
    "钩子 {name}：发送给它的已签名内容会运行触发器 {trigger}",
  "{place}, which is no hook as it is": "{place}，目前不是有效的钩子",
  "runs without asking: {line} … ({reaches})": "无需询问即可运行：{line} …（{reaches}）",
  "{path}, the conversation": "{path}，对话",
  "{name}/: settings and login of the agent CLI": "{name}/：智能体 CLI 的设置和登录",

  // The audit log.
  "the archive has applied turns, but the log of the supervisor has no line: it was removed or emptied":
    "归档里有已完成的对话，但 supervisor 的日志没有任何一行：它被移除或清空了",
  "{id} is in the archive, but no line of the audit log says that it was applied":
    "{id} 在归档里，但审计日志没有一行记录它的完成",
  "{id} was reported by {turn}, and no line of the audit log names it": "{id} 由 {turn} 汇报，但审计日志没有一行提到它",
  "{file} was removed: the {actor} has run here, and there is no line of it":
    "{file} 被移除：{actor} 在这里运行过，却没有它的任何一行",
  "{place} is no line of the audit log: it was put in or damaged": "{place} 不是审计日志的一行：它是插入的，或已损坏",
  "{place} was written by the {actor}": "{place} 由 {actor} 写入",
  "{place} follows line {line}": "{place} 紧接在第 {line} 行之后",
  "{place} does not fit line {line}, which was changed": "{place} 与第 {line} 行不符，那一行被改动过",
  "the lines before line {line} are gone, and the chain does not record their removal":
    "第 {line} 行之前的内容已丢失，而链中没有记录它被清除",
  "{place} says that at the start of {moment} the file ended with line {after}, though line {noted} had been written, or another line in its place":
    "{place} 记录：在 {moment} 启动时文件以第 {after} 行结尾，而第 {noted} 行已经写过，或被另一行替换",
  "{lines} are not as they were written: they were changed, or put in without the token":
    "{lines}与写入时不同：被改动过，或在没有令牌的情况下插入",
  "{place} is not as it was written: it was changed, or put in without the token":
    "{place} 与写入时不同：被改动过，或在没有令牌的情况下插入",
  "{place} has no code, though lines before it have one: it was written without the token, or by an earlier version":
    "{place} 没有校验码，而它之前的行有：是在没有令牌的情况下写入的，或由较早的版本写入",
  "{actor}: line {line} is not the one that the {witness} saw: it was rewritten":
    "{actor}：第 {line} 行不是 {witness} 看到的那一行：它被改写了",
  "{file} has no line, and the {witness} saw line {line}: it was removed or emptied":
    "{file} 没有任何一行，而 {witness} 看到过第 {line} 行：它被移除或清空了",
  "{actor}: the chain ends with line {line}, and the {witness} saw line {seen}: the end was cut off":
    "{actor}：链在第 {line} 行结束，而 {witness} 看到过第 {seen} 行：末尾被截掉了",
  "line {line}": "第 {line} 行",
  "lines {from} to {to}": "第 {from} 至 {to} 行",

  // Hooks, channels, keys, settings.
  'it has no secret "{name}": mimikit hooks secret {same}': "缺少密钥“{name}”：请运行 mimikit hooks secret {same}",
  "there are more than {max} hooks: remove one": "钩子超过 {max} 个：请移除一个",
  "status {status}": "状态码 {status}",
  "{max} others waited": "另有 {max} 个在等待",
  "it is too old": "它太旧了",
  "there is no such hook any more": "这个钩子已不存在",
  "Mimikit was stopped while it ran": "运行期间 Mimikit 被停止",
  "stopped after {seconds} s": "{seconds} 秒后被停止",
  "a key has at most {max} characters": "密钥最多 {max} 个字符",
  "a secret has at least {min} characters": "密钥至少 {min} 个字符",
  "a secret has at most {max} characters": "密钥最多 {max} 个字符",
  "a secret has printable ASCII only, on one line": "密钥只能是一行可打印的 ASCII 字符",
  "{path} holds no valid keys: correct it, or remove it and connect again":
    "{path} 里没有有效的密钥：请更正，或移除后重新连接",
  "the key of {id} was not saved: {reason}": "没有保存 {id} 的密钥：{reason}",
  "this state directory is not adopted:  mimikit adopt  keeps it":
    "这个状态目录还没有被信任：运行 mimikit adopt 之后保存",
  "saved the key of {id} in secrets.json, in place of another, for this user alone: a restart from another shell answers the same":
    "已把 {id} 的密钥保存到 secrets.json，替换了原来的，只有当前用户可以读取：从其他 shell 重新启动也同样有效",
  "saved the key of {id} in secrets.json, for this user alone: a restart from another shell answers the same":
    "已把 {id} 的密钥保存到 secrets.json，只有当前用户可以读取：从其他 shell 重新启动也同样有效",
  "write the values out instead of referring to others": "请直接写出值，不要引用其他值",
  "longer than {max} bytes": "超过 {max} 字节",
  "not a regular file": "不是普通文件",
  "take out what is no setting": "请删去不是设置的内容",
  "no text in UTF-8": "不是 UTF-8 文本",
  "no permission to read it": "没有读取权限",

  // Machines.
  "this is no code: copy all that  mimikit pool invite  printed":
    "这不是邀请码：请完整复制 mimikit pool invite 显示的内容",
  "this code was used before, or is older than ten minutes: ask for another with  mimikit pool invite":
    "这个邀请码已经用过，或超过十分钟：请用 mimikit pool invite 重新生成",

  // Skills.
  "it is a link: put the folder itself there": "它是链接：请放入文件夹本身",
  "{path} has the same name and counts before it": "{path} 与它同名，并优先于它",
  "there are {max} skills already": "已经有 {max} 个技能",
  "{file} is outside of the skill's folder": "{file} 不在技能的文件夹里",
  "the skill has no file {file}": "技能里没有文件 {file}",
  "{file} is not a regular file": "{file} 不是普通文件",
  'its name is "{name}", and its folder must have the same': "它的名称是“{name}”，文件夹必须同名",
  "{file} is longer than {max} characters: put parts into other files":
    "{file} 超过 {max} 个字符：请把一部分放到其他文件",
  "{file} does not begin with a front matter between two lines of ---": "{file} 的开头没有写在两行 --- 之间的元数据",
  "the front matter of {file} is no YAML: {reason}": "{file} 的元数据不是有效的 YAML：{reason}",
  "the front matter of {file}: {problem}": "{file} 的元数据：{problem}",
  "its front matter is no YAML ({reason}), and is read as it seems meant: put the value of {name} in quotes":
    "它的元数据不是有效的 YAML（{reason}），已按可能的意思读取：请给 {name} 的值加上引号",
  "its folders are more than {max} deep": "文件夹超过 {max} 层",
  "{path} is neither a file nor a folder": "{path} 既不是文件也不是文件夹",
  "it has more than {max} files": "文件超过 {max} 个",
  "it has more than {max} bytes": "超过 {max} 字节",
  "the link {link} leaves the folder": "链接 {link} 指向文件夹之外",

  // The sandbox, and searches of the web.
  "choose another: MIMIKIT_HOME": "请换一个：MIMIKIT_HOME",
  "the setting says sandbox: off": "设置为 sandbox: off",
  "set it to auto or required": "请设为 auto 或 required",
  "a command reached it": "有一条命令访问到了它",
  "a command reached a server of this machine": "有一条命令连接到了本机的服务",
  "report this: it should not be possible": "请报告这个问题：这本不该发生",
  "it said nothing": "没有任何输出",
  "the sandbox does not run a command: {reason}": "沙箱无法运行命令：{reason}",
  "web.search.engine is {engine}, which needs its address: set web.search.url":
    "web.search.engine 为 {engine}，需要地址：请设置 web.search.url",
  "web.search.engine is {engine}, which needs a key: start once with {variable} set, and it is kept":
    "web.search.engine 为 {engine}，需要密钥：请在设置 {variable} 后启动一次，它会被保存",

  // The next steps that the gateway names in a refusal.
  "Free some space, then send it again.": "请腾出空间后再发送",
  "Delete some of them first.": "请先删除一些",
  "End it first: cancel it, or answer it.": "请先结束它：取消，或回答",
  "Revoke one of them first.": "请先撤销其中一个",
  "Send it under another Idempotency-Key.": "请换一个 Idempotency-Key 发送",
  "The log of the gateway says what.": "原因见网关的日志",
  "Try again in {seconds} s.": "请在 {seconds} 秒后重试",

  // The history of a task, and of an improvement.
  created: "创建",
  "attempt {n} started": "第 {n} 次尝试开始",
  "attempt {n} reached no provider: {reason}": "第 {n} 次尝试无法连接：{reason}",
  "attempt {n} waits for the rate limit until {moment}: {reason}":
    "第 {n} 次尝试在等待使用上限结束，直到 {moment}：{reason}",
  "attempt {n} failed: {reason}": "第 {n} 次尝试失败：{reason}",
  "attempt {n} was cut off: {reason} while nothing else ran": "第 {n} 次尝试被中断（当时没有其他任务）：{reason}",
  "attempt {n} was cut off: {reason}": "第 {n} 次尝试被中断：{reason}",
  "attempt {n} left something running that could not be found to be ended":
    "第 {n} 次尝试遗留了运行中的内容，未能找到并结束",
  "it was cancelled": "已取消",
  "exit code {code}": "退出码 {code}",
  "ended by {signal}": "被 {signal} 终止",
  "waits for a yes to {tool}": "等待许可 {tool}",
  "{id} did not stop when told to": "{id} 收到停止的要求后没有停止",
  "{id} ended without a result": "{id} 结束时没有给出结果",
};

/** Parameters that may be a sentence themselves; all others are names, numbers and words of others. */
const INNER = new Set(["lines", "problem", "reason"]);
const PARAMETER = /\{(\w+)\}/g;
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
/** Characters of a sentence that is looked up. A longer one is none of ours. */
const SENTENCE_CHARS_MAX = 1_000;

/** Of two that fit, the one that says most of itself was meant: it comes first. */
const FORMS = Object.entries(SENTENCES)
  .sort(([a], [b]) => b.replace(PARAMETER, "").length - a.replace(PARAMETER, "").length)
  .map(([english, chinese = ""]) => ({ pattern: patternOf(english), chinese }));

function patternOf(english: string): RegExp {
  const parts = english
    .split(PARAMETER)
    .map((part, i) => (i % 2 === 0 ? part.replace(SPECIAL, "\\$&") : `(?<${part}>.+?)`));
  return new RegExp(`^${parts.join("")}$`, "s");
}

/** @param tell the Chinese of a sentence that stands in it. @returns undefined where it is none of these. */
export function formInChinese(sentence: string, tell: (inner: string) => string | undefined): string | undefined {
  if (sentence.length > SENTENCE_CHARS_MAX) return undefined;
  for (const { pattern, chinese } of FORMS) {
    const found = pattern.exec(sentence);
    if (found !== null)
      return chinese.replace(PARAMETER, (_, name: string) => {
        const inner = found.groups?.[name] ?? "";
        return (INNER.has(name) ? tell(inner) : undefined) ?? inner;
      });
  }
  return undefined;
}
