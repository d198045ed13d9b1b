/** The Chinese of what the other commands print: backup, import, update, service, channels, hooks, recipes, skills, MCP servers. */
export const OTHERS: Readonly<Record<string, string>> = {
  // adopt, approvals, audit.
  "nothing: it asks again": "无：会再次询问",
  "a program that runs others is allowed for good no longer: its commands ask again, and its entry can be removed":
    "会运行其他程序的程序不再能永久允许：它的命令会再次询问，这一条可以删除",
  "there is no state directory {home}: nothing to adopt": "状态目录 {home} 不存在：没有需要信任的内容",
  "--yes adopts, and --revoke undoes that: use only one of them": "--yes 表示信任，--revoke 撤销信任：只能用其中一个",
  "{home} was not made here, so nothing in it runs. Once you adopt it, this runs or is believed:":
    "{home} 不是在这里创建的，所以其中的内容不会运行。信任之后，以下内容会运行或被采信：",
  "Did you make it, or trust all of this?": "它是你创建的吗，或者你信任以上全部内容吗？",
  "nothing was changed; if you do not trust it, delete it:  rm -r '{home}'":
    "没有做任何更改；如果你不信任它，请删除：rm -r '{home}'",
  "{home} is yours already": "{home} 已经是你的",
  "{home} is adopted; if it is running, it continues by itself": "已信任 {home}；如果它在运行，会自行继续",
  "Mimikit runs in {home}: stop it with  mimikit down  ({running})":
    "Mimikit 正在 {home} 里运行：请先运行 mimikit down 停止（{running}）",
  "{home} is trusted no longer; it is kept as it is": "不再信任 {home}；内容保持不变",
  "there is no record of {home}": "没有 {home} 的信任记录",
  "  nothing that would run or be believed": "  没有会运行或被采信的内容",
  "no command is allowed for good; the setting autonomy says which commands run without asking":
    "还没有永久允许的命令；哪些命令无需询问即可运行，由设置 autonomy 决定",
  "there is no state directory {home}:  mimikit up  makes it": "状态目录 {home} 不存在：运行 mimikit up 会创建它",
  "nothing was done yet": "还没有任何记录",
  "the audit log is broken in 1 place": "审计日志有 1 处断裂",
  "the audit log is broken in {breaks} places": "审计日志有 {breaks} 处断裂",
  "the audit log is signed with another token, so nothing was proven; mimikit up continues it with this one":
    "审计日志用的是另一个令牌，所以无法验证；运行 mimikit up 之后使用现在的令牌",
  "and {more} more": "另有 {more} 项",
  "archive: {turns} completed turns and the tasks they report are in the log":
    "归档：{turns} 轮已完成的对话及其汇报的任务都在日志里",
  "the audit log begins at {timestamp}: earlier states are no longer known":
    "审计日志从 {timestamp} 开始：更早的情况已无法得知",
  "At {moment}": "{moment} 时",
  "{lines} lines before it{last}": "在此之前有 {lines} 行{last}",
  ", the last one {event} at {timestamp}": "，最后一行是 {timestamp} 的 {event}",
  "no task was open": "没有未结束的任务",
  "not answered yet: {unanswered}": "尚未回答：{unanswered}",
  "asked: {questions}": "提问：{questions}",
  "triggers: {triggers}": "触发器：{triggers}",
  "nothing had been replied yet": "还没有任何回复",
  "last reply ({turn}, {moment}):\n{text}": "最后一条回复（{turn}，{moment}）：\n{text}",

  // backup, restore.
  "it could not be unpacked: {reason}": "无法解包：{reason}",
  "{file} is no whole backup: {reason}": "{file} 不是完整的备份：{reason}",
  "there is too much going on to see all of it at once: try again, or stop first (mimikit down)":
    "变化太频繁，无法得到一致的内容：请重试，或先停止（mimikit down）",
  "there is no state directory {home}: nothing to back up": "状态目录 {home} 不存在：没有可以备份的内容",
  "{file}: {files} files, {size}, sha256 {sha256}": "{file}：{files} 个文件，{size}，sha256 {sha256}",
  "without the token and the signed-in browsers; mimikit restore makes new ones":
    "不含令牌和已登录的浏览器；mimikit restore 会重新生成",
  "{file} exists already: choose another name": "{file} 已存在：请换一个名称",
  "{file} could not be written: {reason}": "无法写入 {file}：{reason}",
  "there is no directory {path}": "目录 {path} 不存在",
  "{file} is in the state directory: choose a place outside of it": "{file} 位于状态目录内：请选择其他位置",
  "the backup has {count} faults, and nothing was changed: {named}; restore the rest with  mimikit restore --salvage":
    "备份有 {count} 处问题，没有做任何更改：{named}；要恢复其余部分，请运行  mimikit restore --salvage",
  "Restore it in spite of that?": "仍然要恢复吗？",
  "{path} cannot be read, and is now {aside}: {reason}": "无法读取 {path}，已移到 {aside}：{reason}",
  "keys, logins and signed-in browsers are those of the backup": "密钥、登录信息和已登录的浏览器以备份为准",
  "kept, as they are in no backup: {paths}": "予以保留（备份里没有）：{paths}",
  "not taken over, as the backup is of another home: {paths}; copy what you want from the previous state":
    "没有沿用，因为备份来自另一个状态目录：{paths}；需要的话，请从之前的状态中复制",
  "keys and logins are in no backup: mimikit connect, mcp add, channels add and hooks secret set them":
    "备份里没有密钥和登录信息：可用 mimikit connect、mcp add、channels add 和 hooks secret 设置",
  "{count} messages and commands that waited in the previous state wait in it":
    "之前的状态中还在等待的 {count} 条消息和命令已带入其中",
  "the backup is made; {count} files in it are damaged, the rest is whole (mimikit restore says what it left out)":
    "备份已完成；其中 {count} 个文件已损坏，其余完好（mimikit restore 会说明略去了什么）",
  "it has {size} bytes, of which {most} are kept": "它有 {size} 字节，保留其中 {most} 字节",
  "the state is the one before the update; that of the new version is in {before}":
    "状态已回到更新之前；新版本的状态在 {before}",
  "{count} messages and commands that the new version had accepted wait again":
    "新版本收下的 {count} 条消息和命令重新等待处理",
  "these are only in that state: {names}": "以下内容只在那个状态里：{names}",
  "{home} is as it was at {moment}": "{home} 已恢复到 {moment} 的状态",
  "{files} files, {turns} turns and {results} tasks, checked":
    "已检查 {files} 个文件、{turns} 轮对话和 {results} 个任务",
  "{problem} (mimikit audit verify)": "{problem}（见 mimikit audit verify）",
  "the previous state is kept in {before}": "原来的状态保留在 {before}",
  "at the next start this runs or is believed; if it is not yours, delete {home} instead:":
    "下次启动时，以下内容会运行或被采信；如果它不是你的，请删除 {home}：",
  "start it with  mimikit up{what}": "运行 mimikit up 启动{what}",
  "; browsers sign in anew (mimikit pair)": "；浏览器需要重新登录（mimikit pair）",
  "Mimikit runs in {home}: stop it with  mimikit down  ({names})":
    "Mimikit 正在 {home} 里运行：请先运行 mimikit down 停止（{names}）",
  "{home} cannot be replaced ({reason}): choose another MIMIKIT_HOME":
    "无法替换 {home}（{reason}）：请换一个 MIMIKIT_HOME",

  // channels.
  "{name} is not set up yet: mimikit channels add {name}": "{name} 还没有设置：mimikit channels add {name}",
  "{title} needs no pairing": "{title} 不需要配对",
  "Send it to your bot in a private chat, within ten minutes. The sender writes as you from then on{what}.":
    "请在十分钟内通过私聊把它发给你的机器人。此后发送者以你的身份发消息{what}。",
  ", when Mimikit runs": "（Mimikit 运行时）",
  "no person has the id {beginning}:  mimikit channels  lists them":
    "没有编号为 {beginning} 的人：用 mimikit channels 查看",
  "several people have the id {beginning}:  mimikit channels  lists them":
    "有多个人的编号以 {beginning} 开头：用 mimikit channels 查看",
  "{name} is no longer paired with {channel}": "{name} 与 {channel} 的配对已解除",
  "{name} is not set up:  mimikit channels  lists those that are":
    "{name} 还没有设置：用 mimikit channels 查看已设置的渠道",
  "removed: {name}": "已移除：{name}",
  "{name} is missing: {what}": "缺少 {name}：{what}",
  "{problem}; nothing was saved (--no-test saves it anyway)":
    "{problem}；没有保存任何内容（用 --no-test 可以不测试就保存）",
  "{title} is set up: {about}": "{title} 已设置：{about}",
  "--set {name}=…: the fields are {fields}": "--set {name}=…：可用的字段是 {fields}",
  "{name} is a secret: type it when asked, or send it through a pipe":
    "{name} 是保密内容：请在询问时输入，或通过管道传入",
  "there is no channel {name}: the channels are {names}": "没有渠道 {name}：可用的渠道是 {names}",
  "no channel is set up:  mimikit channels add telegram": "还没有设置渠道：mimikit channels add telegram",
  "{id}  {who}  paired with {name} {at}": "{id}  {who}  于 {at} 与 {name} 配对",
  "a group at {name}: {who}, {count} times, last {at}": "{name} 上的群组：{who}，{count} 次，最近 {at}",
  "a stranger at {name}: {who}, {count} times, last {at}": "{name} 上的陌生人：{who}，{count} 次，最近 {at}",

  // hooks.
  "{reason}:  mimikit hooks  lists them": "{reason}：用 mimikit hooks 查看",
  "there are no hooks: {hooks}/<name>.yaml makes one": "没有钩子：创建 {hooks}/<name>.yaml 即可添加",
  "on    {events}": "事件  {events}",
  "does  {url}": "动作  {url}",
  "there are no deliveries yet": "还没有投递",
  "kept as {id}; {next}": "已保存为 {id}；{next}",
  "--new and --forget exclude each other: choose one": "--new 和 --forget 不能同时使用",
  "forgotten: {name}": "已删除：{name}",
  "kept in secrets.json: {name}": "已保存到 secrets.json：{name}",
  "the pipe is empty: send the secret through it, or use --new": "管道里没有内容：请通过管道传入密钥，或使用 --new",

  // import.
  "--undo takes the id of an import, and no file": "--undo 需要导入的编号，而不是文件",
  "say which file: mimikit import {source} <file>": "请写出文件：mimikit import {source} <file>",
  "there is nothing new in it": "其中没有新的内容",
  "Bring this in?": "导入以上内容吗？",
  " (memories and schedules are taken up when Mimikit runs)": "（记忆和日程在 Mimikit 运行时处理）",
  "imported as {id}{later}; revert it with  mimikit import --undo {id}":
    "已导入，编号 {id}{later}；用  mimikit import --undo {id}  撤销",
  "{path} holds nothing that {source} exports: see docs/import.md for what to name":
    "{path} 里没有 {source} 的导出内容：应该指定什么文件见 docs/import.md",
  ", and {count} that were brought in before": "，另有 {count} 项之前已导入",
  "from {source}, {file}": "来自 {source}，{file}",
  ", {from} to {to}": "，{from} 至 {to}",
  "{messages} in {conversations}{span}{before}": "{conversations}中的 {messages}{span}{before}",
  "1 message": "1 条消息",
  "{count} messages": "{count} 条消息",
  "1 conversation": "1 个对话",
  "{count} conversations": "{count} 个对话",
  "1 memory": "1 条记忆",
  "{count} memories": "{count} 条记忆",
  "1 schedule": "1 项日程",
  "{count} schedules": "{count} 项日程",
  "not brought:": "未导入：",
  "({count} times)": "（{count} 次）",
  "and {more} more: --json has all of them": "另有 {more} 项：用 --json 查看全部",
  "nothing was brought in yet: mimikit import --help": "还没有导入过：mimikit import --help",
  "undone: {messages}, and {undone} of its memories and schedules": "已撤销：{messages}，以及 {undone} 项记忆和日程",
  "stays: {reason}": "保留：{reason}",
  "there is no import {given}:  mimikit import  lists them": "没有导入 {given}：用 mimikit import 查看",
  "{given} means {count} of them: say more of its id": "{given} 对应 {count} 项：请把编号写得更完整",
  "{path} has more than {max} bytes of text: name its files one by one": "{path} 的文本超过 {max} 字节：请逐个指定文件",
  "{path} is neither a file nor a folder": "{path} 既不是文件也不是文件夹",
  "{root} has more than {max} files: name the export itself": "{root} 有超过 {max} 个文件：请直接指定导出的文件",
  "{name} has {size} bytes, more than {max} that are read at once":
    "{name} 有 {size} 字节，超过一次能读取的 {max} 字节",
  "{name} is no text in UTF-8": "{name} 不是 UTF-8 文本",
  "{name} is no whole JSON: download the export once more": "{name} 不是完整的 JSON：请重新下载导出的文件",
  "{name} is not what was expected: {issues}": "{name} 的内容不符合预期：{issues}",
  "{path} is no zip file, or its end is missing: download it once more": "{path} 不是 zip 文件，或缺少结尾：请重新下载",
  "{path} is larger than can be read here: unpack it, and name the folder":
    "{path} 太大，无法直接读取：请解压后指定文件夹",
  "{name} in {path} has {bytes} bytes, more than {bytesMax} that are read at once":
    "{path} 里的 {name} 有 {bytes} 字节，超过一次能读取的 {bytesMax} 字节",
  "{name} in {path} is encrypted: unpack it, and name the folder": "{path} 里的 {name} 已加密：请解压后指定文件夹",
  "{name} in {path} is damaged: download the export once more": "{path} 里的 {name} 已损坏：请重新下载导出的文件",
  "{path} is a damaged zip file: download it once more": "{path} 是损坏的 zip 文件：请重新下载",

  // improve, logs.
  "there is no improvement {id}:  mimikit improve  lists them": "没有改进 {id}：用 mimikit improve 查看",
  "queued; it starts when Mimikit runs": "已排队，Mimikit 运行时开始",
  "{outcome} starts": "{outcome} 开始",
  "there are no improvements yet": "还没有改进",
  "branch {branch}: git diff {base} {branch}": "分支 {branch}：git diff {base} {branch}",
  "why ({kind})": "原因（{kind}）",
  review: "审查",
  diff: "差异",
  "(the whole diff is in {artifact})": "（完整的差异在 {artifact}）",
  "nothing was logged yet in {home}:  mimikit up  starts it": "{home} 里还没有日志：用 mimikit up 启动",

  // mcp, skills, recipe.
  "removed {name}": "已移除 {name}",
  "{why}; usage:  mimikit mcp add {name} -- <program> <arguments>  or  mimikit mcp add {name} --url <address>":
    "{why}；用法：mimikit mcp add {name} -- <program> <arguments>  或  mimikit mcp add {name} --url <address>",
  replaced: "已替换",
  "--env: {text} is not set in this shell: use {text}=<value>":
    "--env：当前 shell 没有设置 {text}：请写成 {text}=<value>",
  "--header has the form 'Name: value'": "--header 的格式为 'Name: value'",
  "there are no MCP servers: mimikit mcp add --help": "没有 MCP 服务器：mimikit mcp add --help",
  "{name} is a program, and only addresses ask for a login": "{name} 是程序，只有地址才需要登录",
  "open this in a browser:\n\n  {href}\n": "在浏览器中打开：\n\n  {href}\n",
  "if the browser is on another machine: paste the last address that it shows here":
    "如果浏览器在另一台机器上：请把它最后显示的地址粘贴到这里",
  "logged in to {name}": "已登录 {name}",
  "{name} asks for no login": "{name} 不需要登录",
  'there is no MCP server "{name}":  mimikit mcp  lists them': "没有 MCP 服务器“{name}”：用 mimikit mcp 查看",
  "starting {name}": "正在启动 {name}",
  "{name} does not work: {problems}{said}": "{name} 无法使用：{problems}{said}",
  "{name} has no tools": "{name} 没有工具",
  'there is no skill "{name}": see  mimikit skills': "没有技能“{name}”：见 mimikit skills",
  "there are no skills": "没有技能",
  "* from the workspace: read-only until you allow more:  mimikit skills allow <name>":
    "* 来自工作区：在你允许更多之前只读：mimikit skills allow <name>",
  "level  {level}{what}": "权限  {level}{what}",
  "– (as a Worker)": "–（与 Worker 相同）",
  ", until you allow more:  mimikit skills allow {name}": "，直到你允许更多：mimikit skills allow {name}",
  "from   {source}": "来源  {source}",
  "path   {path}": "路径  {path}",
  "files  {files}": "文件  {files}",
  "{name} is not a skill of the workspace: it needs no approval": "{name} 不是工作区的技能：不需要许可",
  "{name} may use the level that it declares, until one of its files changes":
    "{name} 可以使用它声明的权限，直到它的某个文件发生变化",
  "{name} is read-only": "{name} 只读",
  "add {missing} to see its firings": "加上 {missing} 即可查看触发时间",
  "{name}: removed": "{name}：已移除",
  "its skill was edited since, so it stays: {keptSkill}": "它的技能之后修改过，所以保留：{keptSkill}",
  "--json asks nothing: add --yes, or look first with  mimikit recipe show {name}":
    "--json 不会询问：请加上 --yes，或先用  mimikit recipe show {name}  查看",
  "{name}: added as {triggerId}{when}{what}": "{name}：已添加，编号 {triggerId}{when}{what}",
  "--as must be a name of lowercase letters and digits, with single hyphens between them":
    "--as 应为由小写字母和数字组成的名称，中间可以有单个连字符",
  "{name} has a skill, so it can be added only once: leave --as out": "{name} 带有技能，只能添加一次：请去掉 --as",
  "--as: a recipe that comes with Mimikit is called {as}": "--as：Mimikit 自带的配方已使用名称 {as}",
  "{from}: a recipe that comes with Mimikit is called {name}: give it another name":
    "{from}：Mimikit 自带的配方已使用名称 {name}：请换一个名称",
  '{from} is a recipe from outside: without a skill it may only remind, with words that begin with "remind me: "':
    '{from} 是外来的配方：没有技能时只能用于提醒，内容要以 "remind me: " 开头',
  "{from}: its skill does not say how much it may do: metadata, level, {options}":
    "{from}：它的技能没有声明权限：metadata、level、{options}",
  "{from} wants the level {level}, more than {accepted}: if you trust it, add  --level {level}":
    "{from} 要求权限 {level}，超过了 {accepted}：如果你信任它，请加上  --level {level}",
  "Add it?": "添加吗？",
  "It only reminds.": "它只用于提醒。",
  "Its level is {level}.": "它的权限是 {level}。",
  "It is from outside, and follows its own instructions. {most} Add it?":
    "它是外来的，按自己的说明工作。{most}添加吗？",
  "there are no recipes": "没有配方",
  "--set is an answer like time=08:30": "--set 的写法如 time=08:30",
  "needs a model:  mimikit connect": "需要模型：mimikit connect",
  "needs no model": "不需要模型",
  "asks {each} ({kind}): {question}{what}": "询问 {each}（{kind}）：{question}{what}",
  "its skill, which may do at most: {level}": "它的技能，权限最多为：{level}",
  "as a Worker": "与 Worker 相同",
  "its cost is unknown until it has run:  mimikit triggers simulate  shows it then":
    "运行之前无法得知费用：之后可以用 mimikit triggers simulate 查看",
  "{name} was added already: take it out first with  mimikit recipe remove {name}":
    "{name} 已经添加过：请先用  mimikit recipe remove {name}  移除",
  "{name} was not added:  mimikit recipe list  shows what was":
    "{name} 没有添加过：用 mimikit recipe list 查看已添加的配方",
  "there is a skill {name} already, {hidden}: rename one of them": "已经有技能 {name}，{hidden}：请给其中一个改名",
  "there is no recipe {given}, and no such file:  mimikit recipe list  names them":
    "没有配方 {given}，也没有这样的文件：用 mimikit recipe list 查看",
  "{given} has {size} bytes: a recipe has at most {max}": "{given} 有 {size} 字节：配方最多 {max} 字节",
  "{host} cannot be read: {reason}": "无法读取 {host}：{reason}",
  "{host} redirects more than {max} times": "{host} 重定向超过 {max} 次",
  "{host} answers {status}: is the address right?": "{host} 返回 {status}：地址正确吗？",
  "an address begins with https:// and holds no password; or save the file, and name that":
    "地址应以 https:// 开头，且不含密码；也可以先保存文件，再指定它",
  "{host} sends more than {bytesMax} bytes: that is no recipe": "{host} 发来的内容超过 {bytesMax} 字节：这不是配方",
  "the answer of {host} cannot be read: {reason}": "无法读取 {host} 的响应：{reason}",

  // service.
  "there is no systemd here. In the crontab of this user (crontab -e) this line does the same:":
    "这里没有 systemd。在当前用户的 crontab（crontab -e）里加上这一行，效果相同：",
  "and now:  nohup {now} > /dev/null 2>&1 &": "现在启动：nohup {now} > /dev/null 2>&1 &",
  boot: "开机",
  "it starts with the machine": "随机器启动",
  "it starts when you log in, and ends when you log out": "登录时启动，退出登录时结束",
  "no linger ({noLinger}): run  sudo loginctl enable-linger {own}":
    "没有启用 linger（{noLinger}）：请运行  sudo loginctl enable-linger {own}",
  now: "现在",
  "it runs:  mimikit service status": "正在运行：mimikit service status",
  "systemd does not start it here": "systemd 在这里没有启动它",
  "{why}; without systemd:  nohup {now} > /dev/null 2>&1 &": "{why}；不用 systemd：nohup {now} > /dev/null 2>&1 &",
  settings: "设置",
  "of this shell, which win over config.yaml: {settings}": "来自当前 shell，优先于 config.yaml：{settings}",
  "! it runs as root: give it a state directory of another user's where you can":
    "! 它以 root 运行：如有可能，请使用其他用户的状态目录",
  "not in it, because a secret is in them: {leftOut}": "以下变量含有密钥，所以没有写入：{leftOut}",
  "not in it, because a secret is in them: {secrets}": "以下变量含有密钥，所以没有写入：{secrets}",
  "{path} is removed; the state is kept": "{path} 已移除；状态保留",
  "there is no unit {path}": "没有服务 {path}",
  "it still runs:  mimikit down  ({running})": "仍在运行：mimikit down（{running}）",
  unit: "服务",
  "none:  mimikit service install{what}": "无：mimikit service install{what}",
  enabled: "启用",
  active: "活动",
  "systemd cannot be asked here ({why})": "这里无法查询 systemd（{why}）",
  "its program {program} no longer exists: run  mimikit service install  to update the unit":
    "它的程序 {program} 已不存在：请运行 mimikit service install 更新服务",
  watched: "守护",
  "yes: a process that ends is started again": "是：结束的进程会重新启动",
  "no: nothing starts PM2 again if it ends": "否：PM2 结束后，没有程序会再启动它",
  stopped: "停止",
  "by  mimikit down;  mimikit up  starts it": "由 mimikit down 停止；用 mimikit up 启动",
  "not kept: {keys}. As {user}:  mimikit connect": "没有保存：{keys}。请以 {user} 运行：mimikit connect",
  "there is no state directory {home} yet: run  mimikit up  once, as its user":
    "状态目录 {home} 还不存在：请先以它的用户运行一次 mimikit up",
  "this machine has joined no home in {workDir}: mimikit pool join --no-start --work-dir <folder>":
    "这台机器在 {workDir} 里没有加入：mimikit pool join --no-start --work-dir <folder>",
  "it ends when you log out ({noLinger}): run  sudo loginctl enable-linger":
    "退出登录时会结束（{noLinger}）：请运行  sudo loginctl enable-linger",
  "{path} is removed; the machine stays joined": "{path} 已移除；加入信息保留",
  "Mimikit runs": "Mimikit 正在运行",
  "the next start is in {seconds} s": "{seconds} 秒后再次启动",
  "not everything could be ended": "未能全部结束",
  "another  mimikit service run  keeps {home} running": "另一个 mimikit service run 正在守护 {home}",
  "PM2 does not bring it back": "PM2 没有使它恢复",
  "PM2 does not run": "PM2 没有运行",
  "cannot look: {reason}": "无法检查：{reason}",
  "{path} cannot be written ({reason}){next}": "无法写入 {path}（{reason}）{next}",
  "{path} cannot be removed ({reason}){what}": "无法移除 {path}（{reason}）{what}",
  ": run it with sudo": "：请用 sudo 运行",

  // update.
  "Mimikit {version} starts, and answers: {reply}": "Mimikit {version} 能启动并回答：{reply}",
  "this is a clone, which follows its branch: leave --from out": "这是一个克隆，跟随它的分支：请去掉 --from",
  "Mimikit {newVersion} is in place of {version}": "Mimikit {newVersion} 已替换 {version}",
  "Mimikit {version} is here, and {newVersion} is not newer": "现在是 Mimikit {version}，{newVersion} 并不更新",
  "Mimikit {newVersion} is newer than {version}": "Mimikit {newVersion} 比 {version} 新",
  "install it with  {mimikit} update --from {source}": "更新：{mimikit} update --from {source}",
  "Mimikit {version} ({branch}, {commit}) is up to date": "Mimikit {version}（{branch}，{commit}）已是最新",
  "{what} is in place of {version} ({commit}): {commits}": "{what} 已替换 {version}（{commit}）：{commits}",
  "{what} is newer than {version} ({commit}): {commits}": "{what} 比 {version}（{commit}）新：{commits}",
  "1 commit": "1 个提交",
  "{count} commits": "{count} 个提交",
  "install it with  mimikit update": "更新：mimikit update",
  "the state in {home} is of version {state}: call  mimikit down  first, then it is carried forward":
    "{home} 里的状态是版本 {state}：请先运行 mimikit down，然后会升级状态",
  "{root} is no clone of a repository: install the new version as you have installed this one":
    "{root} 不是仓库的克隆：请用安装现有版本的方式安装新版本",
  "no branch is checked out here (detached HEAD): run  git switch <branch>":
    "这里没有检出分支（detached HEAD）：请运行  git switch <branch>",
  "the branch {branch} follows no other: run  git branch --set-upstream-to=<remote>/<branch>":
    "分支 {branch} 没有上游：请运行  git branch --set-upstream-to=<remote>/<branch>",
  "the branch {branch} and what it follows have both gone on: merge or rebase it by hand":
    "分支 {branch} 与它的上游已经分叉：请手动合并或变基",
  "files of this clone are changed ({first}): commit them, or put them aside with  git stash":
    "这个克隆里有修改过的文件（{first}）：请提交，或用  git stash  暂存",
  "no end within {seconds} s": "{seconds} 秒内没有结束",
  "git {words} failed: {reason}": "git {words} 失败：{reason}",
  "git is needed for that: install it": "需要 git：请安装",
  "{modules} is on another disk than {clone}": "{modules} 与 {clone} 不在同一个磁盘上",
  "building the new version beside this one": "正在现有版本旁边构建新版本",
  "another update is under way": "另一个更新正在进行",
  "Mimikit is not published: get mimikit-<version>.tgz (npm pack makes it in a clone), then run  {mimikit} update --from <file, folder or address>":
    "Mimikit 没有公开发布：请取得 mimikit-<version>.tgz（在克隆里用 npm pack 生成），然后运行  {mimikit} update --from <文件、文件夹或地址>",
  "a file from {from} could be changed on its way: use https, or download and check it":
    "来自 {from} 的内容可能在传输中被篡改：请使用 https，或下载后检查",
  "there is no file and no folder {path}": "没有文件或文件夹 {path}",
  "{path} is a clone: run  npm pack  there, and name the file that it makes":
    "{path} 是克隆：请在那里运行  npm pack ，然后指定生成的文件",
  "{source} is a package of {name}, not of Mimikit": "{source} 是 {name} 的包，不是 Mimikit 的",
  "Mimikit {version} is what is here already": "现在已经是 Mimikit {version}",
  "{newVersion} is older than {version}, which is here, and might not understand the state: to go back, restore a backup of then with it":
    "{newVersion} 比现有的 {version} 旧，可能无法读取现在的状态：要退回，请用它恢复当时的备份",
  "{installed} is not installed by npm: install the new version as this one was":
    "{installed} 不是用 npm 安装的：请用原来的方式安装新版本",
  "{installed} belongs to another user than the state: run  {command}":
    "{installed} 与状态目录不属于同一个用户：请运行  {command}",
  "{source} was exchanged meanwhile": "{source} 在此期间被替换",
  "installing the new version beside this one": "正在现有版本旁边安装新版本",
  "{source} has no {missing}: install it by hand": "{source} 里没有 {missing}：请手动安装",
  "the disk of {modules} has {free} MB left, and {needed} are needed":
    "{modules} 所在的磁盘还剩 {free} MB，需要 {needed} MB",
  "no answer within {seconds} s": "{seconds} 秒内没有回答",
  "it could not answer: {text}": "无法回答：{text}",
  "npm is needed for that: install it": "需要 npm：请安装",
  "npm {words} failed: {reason}": "npm {words} 失败：{reason}",
  "switching versions; running work continues": "正在切换版本；进行中的工作会继续",
  "reverting to the previous version: {reason}": "正在恢复原来的版本：{reason}",
  "reverted to the previous version{what}: {reason}": "已恢复原来的版本{what}：{reason}",
  ", which is running": "，并在运行",
  "another PM2 runs the processes, and would start them in between: run  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs  first":
    "这些进程由另一个 PM2 管理，它会在中途启动它们：请先运行  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs",
  "another instance runs from {here}, of {what}: stop it first": "另一个实例正从 {here} 运行，属于 {what}：请先停止它",
  "trying it out on a copy of the state": "正在用状态的副本试运行",
  "there is no backup of the previous state in {home}": "{home} 中没有之前状态的备份",
};
