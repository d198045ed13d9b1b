/** The Chinese of what is wrong with a command line, and of why a command cannot do what it was asked to. */
export const MISTAKES: Readonly<Record<string, string>> = {
  // The command line.
  "--{name} is a number": "--{name} 应为数字",
  "a message takes at most {max} files along": "一条消息最多附带 {max} 个文件",
  "{path}: this is not a file": "{path}：不是文件",
  "there is no option {option}: {hint}": "没有选项 {option}：{hint}",
  "mimikit --help  lists the options": "用 mimikit --help 查看选项",
  "the command is missing:  mimikit --help  lists the commands": "缺少命令：用 mimikit --help 查看全部命令",
  "there is no command {name}: {hint}": "没有命令 {name}：{hint}",
  "mimikit --help  lists the commands": "用 mimikit --help 查看全部命令",
  "mimikit {name} <sub-command>: choose one of {all}": "mimikit {name} <sub-command>：可选 {all}",
  "there is no  mimikit {name} {typed}: {hint}": "没有 mimikit {name} {typed}：{hint}",
  "{line} --help  shows its options and examples": "用 {line} --help 查看选项和示例",
  "there is no  {where} {given}: {hint}": "没有 {where} {given}：{hint}",
  "{line} takes no {option}: it is an option of  mimikit {owners}":
    "{line} 没有选项 {option}：它是 mimikit {owners} 的选项",
  "a key is never an argument: others see it in the list of processes, and the shell keeps it. Send it through a pipe, with --key-stdin, or say  mimikit connect  and paste it":
    "不要把密钥写在命令行里：其他人能在进程列表中看到它，shell 也会记下它。请用 --key-stdin 通过管道传入，或运行 mimikit connect 后粘贴",
  "{named} is one argument too many; usage:  {usage}": "多余的参数 {named}；用法：{usage}",
  "an argument is missing; usage:  {usage}  ({help})": "缺少参数；用法：{usage}（{help}）",
  " and ": " 和 ",
  "choose one of {all}": "可选 {all}",
  "did you mean {suggestion}? The choices are {all}": "是不是 {suggestion}？可选 {all}",
  "did you mean  {line}?": "是不是  {line} ？",
  "the text is missing: mimikit {name} <text>, or send it through a pipe":
    "缺少内容：写成 mimikit {name} <text>，或通过管道传入",
  "the content of the pipe is not text in UTF-8": "管道里的内容不是 UTF-8 文本",
  "the pipe cannot be read: {reason}": "无法读取管道：{reason}",
  "[paste {number}: {lines} lines, {characters} characters]": "[粘贴 {number}：{lines} 行，{characters} 个字符]",
  "waiting for the pipe": "正在等待管道里的内容",
  "the rest of the file on standard input is not sent; with  -  as the last word it is":
    "标准输入上的文件剩下的部分不会发送；最后写一个  -  就会发送",
  "nothing came through the pipe for {sec} s, so the words are sent alone; with  -  as the last word it is waited for, and  < /dev/null  says that there is nothing":
    "{sec} 秒内管道里没有内容，只发送文字；最后写一个  -  就会等待，写  < /dev/null  表示没有内容",
  "a message has at most {max} characters, and this one has {count}": "一条消息最多 {max} 个字符，这条有 {count} 个",
  "the prompt is missing: write it at the end, or after --prompt": "缺少提示词：写在末尾，或写在 --prompt 后面",
  "a time or a condition is missing: use one of {options}": "缺少时间或条件：使用以下选项之一 {options}",
  "name what to change:  mimikit triggers change --help  lists the options":
    "没有说明要改什么：用 mimikit triggers change --help 查看选项",
  "give one prompt: at the end, or after --prompt": "提示词只能写一次：写在末尾，或写在 --prompt 后面",
  "use one of {times}: --when combines conditions with and, or and not":
    "{times} 只能用一个：--when 可以用 and、or 和 not 组合条件",
  "{option} is a duration like 30s, 10m, 2h or 1d": "{option} 应为时长，例如 30s、10m、2h 或 1d",
  "--settle is for --when-file-changes: in --when it is settleSec of file_changed":
    "--settle 只能与 --when-file-changes 一起用：在 --when 里对应 file_changed 的 settleSec",
  "invalid value": "值无效",
  "{option} at {place}: {problem}": "{option} 的 {place}：{problem}",
  "not a terminal, so you cannot be asked: pass  {otherwise}": "这里不是终端，无法询问你：请使用  {otherwise}",
  "--timeout is a number of seconds above 0": "--timeout 应为大于 0 的秒数",
  "--lines is a whole number from 1 to {max}": "--lines 应为 1 到 {max} 的整数",
  "--limit is a whole number from 1 to {max}": "--limit 应为 1 到 {max} 的整数",
  "--limit is a whole number above 0": "--limit 应为大于 0 的整数",
  "--slots is a whole number from 1 to {max}": "--slots 应为 1 到 {max} 的整数",
  "--days is a whole number from 1 to {max}": "--days 应为 1 到 {max} 的整数",
  "--to must be after --from": "--to 必须晚于 --from",
  "at most {duration} at once": "一次最多 {duration}",
  "{option} is a moment with its zone like 2026-12-01T09:00:00+08:00, or 2h, 7d from now":
    "{option} 应为带时区的时刻，例如 2026-12-01T09:00:00+08:00，或从现在起的 2h、7d",
  "{option} is a day like 2026-03-01, or a moment like 2026-03-01T09:00:00+08:00":
    "{option} 应为日期，例如 2026-03-01，或时刻，例如 2026-03-01T09:00:00+08:00",
  "say the moment: mimikit audit replay --at 2026-11-22T09:30 (or with a zone, …T09:30Z)":
    "请写明时刻：mimikit audit replay --at 2026-11-22T09:30（或带时区，…T09:30Z）",
  "chat is for people: programs use  mimikit ask --json": "chat 供人使用：程序请用 mimikit ask --json",
  "name words to look for: mimikit history search <words>": "请写出要搜索的词：mimikit history search <words>",
  "name words to look for: mimikit memory search <words>": "请写出要搜索的词：mimikit memory search <words>",
  "--model needs --provider": "--model 要与 --provider 一起使用",
  "here a file goes along with  --attach <file>": "这里要用  --attach <file>  附带文件",
  "this key was used before, for something else: nothing was done": "这个键之前已用于其他内容：没有执行任何操作",
  "only a message can take files along": "只有消息可以附带文件",
  "say the answer": "请写出回答",
  "answer with one of: {options}": "只能回答以下之一：{options}",
  "there is no command /{name}; nothing was sent: /help lists the commands, // starts a message with a slash":
    "没有命令 /{name}，未发送：/help 列出命令，// 用来发送以斜杠开头的消息",
  "text is missing: /{name} <text>": "缺少内容：/{name} <text>",
  "/{name} takes no text; nothing was sent: // starts a message with a slash":
    "/{name} 后面不带内容，未发送：// 用来发送以斜杠开头的消息",

  // The instance, its processes and its state.
  "{url} does not know the token of this home: another instance is serving there":
    "{url} 不认识这个状态目录的令牌：在那里提供服务的是另一个实例",
  "the gateway of {home} is down ({running}): PM2 starts it again if it died; if not, use  mimikit up":
    "{home} 的网关没有运行（{running}）：如果是崩溃，PM2 会重新启动它；否则请运行 mimikit up",
  "Mimikit is not running for {home}: start it with  mimikit up": "{home} 的 Mimikit 没有运行：用  mimikit up  启动",
  "Mimikit is not running, so there is nothing to stop": "Mimikit 没有运行，没有可以停止的工作",
  "no gateway answers, and only it knows which message is your last one":
    "网关没有响应，而只有它知道哪一条是你的最后一条消息",
  "not ready after {seconds} s: {missing}. See  mimikit logs  and  mimikit doctor":
    "{seconds} 秒后仍未就绪：{missing}。请查看 mimikit logs 和 mimikit doctor",
  "another PM2 runs the processes: run  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs , then  pm2 start ecosystem.config.cjs":
    "这些进程由另一个 PM2 管理：先运行  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs ，再运行  pm2 start ecosystem.config.cjs",
  "nothing runs now: start it with  mimikit up  ({reason})": "现在没有进程在运行：用 mimikit up 启动（{reason}）",
  "there is no state directory {home}: set MIMIKIT_HOME, or start Mimikit here first":
    "状态目录 {home} 不存在：请设置 MIMIKIT_HOME，或先在这里启动 Mimikit",
  "{path} cannot be read: {reason}": "无法读取 {path}：{reason}",
  "there is no {what} {given}:  mimikit {list}  lists them": "没有{what} {given}：用 mimikit {list} 查看",
  "open question": "待回答的提问",
  change: "更改",
  approval: "许可",
  trigger: "触发器",
  "{given} means {count} of them: {fitting}": "{given} 对应 {count} 项：{fitting}",
  "{id} is no task: mimikit tasks  lists them": "{id} 不是任务：用 mimikit tasks 查看",
  "{given} has already ended ({state})": "{given} 已经结束（{state}）",
  "there is no task {given}: {hint}": "没有任务 {given}：{hint}",
  "another mimikit command has been at work for {seconds} s on {home}; try again later":
    "另一个 mimikit 命令已在 {home} 上执行了 {seconds} 秒；请稍后再试",
  "pm2 {words} did not come back within {seconds} s": "pm2 {words} 在 {seconds} 秒内没有返回",
  "pm2 {words} failed: {reason}": "pm2 {words} 失败：{reason}",
  "it said nothing": "没有任何输出",
  "port {port} on {host} is in use by another program: {another}": "{host} 的端口 {port} 已被其他程序占用：{another}",
  "port {port} may not be used by this user: {another}": "当前用户不能使用端口 {port}：{another}",
  "{wrong} second": "{wrong} 秒",
  "{wrong} seconds": "{wrong} 秒",
  "choose another with MIMIKIT_PORT, for example  {call}": "请用 MIMIKIT_PORT 换一个，例如  {call}",
  "cannot listen on {host}:{port} ({reason}): set MIMIKIT_HOST and MIMIKIT_PORT":
    "无法监听 {host}:{port}（{reason}）：请设置 MIMIKIT_HOST 和 MIMIKIT_PORT",
  "a service would start it again: that it is stopped cannot be noted ({reason})":
    "无法记下它已停止，服务会再次启动它（{reason}）",
  "there is no file {file}": "文件 {file} 不存在",
  "there is no file {path}": "文件 {path} 不存在",
  "nothing was changed": "没有做任何更改",
  "nothing was changed: {reason}": "没有做任何更改：{reason}",
  "nothing was saved": "没有保存任何内容",
  "nothing was added": "没有添加任何内容",

  // The workspace and the state directory, at a start.
  "the workspace {workDir} does not exist: make it, or correct MIMIKIT_WORK_DIR":
    "工作区 {workDir} 不存在：请创建它，或更正 MIMIKIT_WORK_DIR",
  "the path {home} is too long for PM2: set MIMIKIT_HOME to one of at most {most} bytes":
    "路径 {home} 对 PM2 来说太长：请把 MIMIKIT_HOME 设为不超过 {most} 字节的路径",
  "{unwritable}: make it writable, or set MIMIKIT_HOME to a directory that is":
    "{unwritable}：请使它可写，或把 MIMIKIT_HOME 设为可写的目录",
  "{home} cannot be written ({reason}): set MIMIKIT_HOME to a directory that can":
    "无法写入 {home}（{reason}）：请把 MIMIKIT_HOME 设为可写的目录",
  "another PM2 would restart them: run  PM2_HOME='{pm2Home}' pm2 delete {roles}":
    "另一个 PM2 会重新启动它们：请运行  PM2_HOME='{pm2Home}' pm2 delete {roles}",
  "could not be ended: {left}": "无法结束：{left}",
  "{failed} of {all} checks failed": "{all} 项检查中有 {failed} 项失败",
  "1 mistake in the settings": "设置中有 1 处错误",
  "{count} mistakes in the settings": "设置中有 {count} 处错误",
};
