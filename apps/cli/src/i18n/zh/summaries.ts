/** The Chinese of the help, but for the examples: what the commands do, their options, and what stands below. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  "Commands:": "命令：",
  "Positionals:": "参数：",
  "Options:": "选项：",
  "Examples:": "示例：",
  "{title}:": "{title}：",
  "Run it": "运行",
  "Talk with it": "对话",
  "Models and tools": "模型与工具",
  "Tasks and to-dos": "任务与待办",
  Triggers: "触发器",
  "Recipes and skills": "配方与技能",
  "Memory and history": "记忆与历史",
  "Approvals, self-improvement and undo": "许可、自我改进与撤销",
  "Devices, channels and hooks": "设备、渠道与钩子",
  "Work on other machines": "其他机器上的工作",
  "Settings, audit and backup": "设置、审计与备份",
  "Other commands": "其他命令",
  boolean: "开关",
  string: "文本",
  number: "数字",
  array: "可多个",
  required: "必填",
  "choices:": "可选值:",
  "default:": "默认值:",
  "aliases:": "别名:",
  "Show help": "显示帮助",
  "Show version number": "显示版本号",
  "A self-hosted, always-on assistant. Exit codes: 0 done, 1 failed, 2 usage, 3 not running, 4 timed out, 5 waits for your answer.":
    "自己托管、一直在线的助手。退出码：0 完成，1 失败，2 用法错误，3 没有运行，4 超时，5 等待你的回答。",
  "print one JSON document": "输出一个 JSON 文档",
  "Without a sub-command, mimikit {name} runs {alone}. See mimikit {name} <sub-command> --help for the options and examples of each.":
    "不写子命令时，mimikit {name} 执行 {alone}。各子命令的选项和示例见 mimikit {name} <sub-command> --help。",
  "See mimikit {name} <sub-command> --help for the options and examples of each.":
    "各子命令的选项和示例见 mimikit {name} <sub-command> --help。",

  "trust a state directory that was not made here, after a look at what would run":
    "查看会运行什么，然后信任不是在这里创建的状态目录",
  "adopt it without asking": "不询问，直接信任",
  "take the record away that says it is yours; nothing of it runs until it is adopted again":
    "撤销信任记录；重新信任之前，其中任何内容都不会运行",

  "commands that run without asking: list them, remove one": "无需询问即可运行的命令：列出、移除",
  "the commands that run without asking, and what they may reach": "无需询问即可运行的命令，以及它们能访问什么",
  "make such commands ask again": "让这类命令重新询问",
  "the approval: mimikit approvals lists them": "许可的编号：用 mimikit approvals 查看",

  "send a message and wait for the whole answer": "发送消息，并等待完整的回答",
  "Exit codes: 0 everything was done, 1 a task or a reply failed, 2 wrong usage, 3 nothing runs, 4 no complete answer in time, 5 it waits for your answer. At a terminal you answer it there, and Ctrl-C leaves it open; in a script it ends at once.":
    "退出码：0 全部完成，1 有任务或回复失败，2 用法错误，3 没有运行，4 未能及时得到完整的回答，5 等待你的回答。在终端里可以直接回答，Ctrl-C 表示以后再答；在脚本里则立即结束。",
  "the message, with the pipe if there is one; - waits for the pipe":
    "消息内容；管道里的内容会一起发送；- 表示等待管道",
  "attach a file of any kind (repeatable)": "附上任意类型的文件（可多次使用）",
  "seconds to wait for the answer": "等待回答的秒数",
  "the machine, or the label of machines, where the work is done: mimikit pools":
    "完成工作的机器的名称或标签：用 mimikit pools 查看",

  "the audit log: show, verify and replay it": "审计日志：查看、验证、重放",
  "the newest lines": "最新的记录",
  "only lines of these processes": "只看这些进程的记录",
  "how many, at most {max}": "数量，最多 {max}",
  "how many days, at most {max}": "天数，最多 {max}",
  " or ": " 或 ",
  "print new lines as they come; with --json one document a line": "持续输出新的记录；与 --json 一起用时每行一个文档",
  "verify the hash chains, and find missing lines": "验证哈希链，并找出缺失的记录",
  "the state at a moment in the past": "过去某一时刻的状态",
  "the moment, ISO 8601; without a zone it is local time": "时刻，ISO 8601 格式；不写时区则为本地时间",

  "the to-do list: list, add, tick off and remove items": "待办：列出、添加、勾选、移除",
  "the items, with their numbers": "各项待办及其序号",
  "add an item": "添加一项",
  "its text; - reads it from the pipe": "内容；- 表示从管道读取",
  "tick an item off": "勾选一项",
  "its text, or its number in the list; - reads it from the pipe": "内容或它在列表中的序号；- 表示从管道读取",
  "remove an item": "移除一项",

  "put everything that Mimikit knows into one .tar.gz, while it runs":
    "把 Mimikit 的全部数据备份到一个 .tar.gz，运行时也可以",
  "the file to make; it must not exist": "要创建的文件，不能已经存在",
  "the token and the sessions too": "也包含令牌和登录状态",

  "measure how fast it is on this machine": "测量在这台机器上的速度",

  "talk to it by Telegram, get notifications by ntfy: set channels up, pair people, see their state":
    "通过 Telegram 对话、通过 ntfy 接收通知：设置渠道、配对、查看状态",
  "A paired person writes as you, and reads the answers. Tokens are saved in secrets.json, which only this user may read. See docs/channels.md.":
    "配对的人以你的身份发消息，并能看到回答。令牌保存在只有当前用户能读取的 secrets.json 里。见 docs/channels.md。",
  "the channels, the people who are paired, and strangers who wrote to it":
    "各个渠道、已配对的人，以及发来过消息的陌生人",
  "set a channel up; its token is tested first": "设置一个渠道；会先测试它的令牌",
  "telegram, ntfy, …": "telegram、ntfy 等",
  "a field that is not secret: server=https://…": "一个不保密的字段，例如 server=https://…",
  "test it first; --no-test saves it untested": "先测试；--no-test 不测试就保存",
  "print a code that pairs the person who sends it to the bot": "输出配对码；把它发给机器人的人即完成配对",
  "end the pairing of a person": "解除某个人的配对",
  "an id: mimikit channels lists them": "编号：用 mimikit channels 查看",
  "delete the token of a channel, and its pairings": "删除一个渠道的令牌和配对",

  "kill the processes, and PM2, while they work, and check that nothing is lost or done twice":
    "在工作时终止各个进程和 PM2，检查没有任何丢失或重复执行",
  "Faults: kill -9 of one process, of two, of all, of PM2, of all with PM2, of a running command; SIGSTOP for up to 3 s; and, as root, a full disk. Meanwhile it is given orders and chains, cancels, and a trigger that fires every 10 s.":
    "故障包括：用 kill -9 终止一个、两个或全部进程，终止 PM2，同时终止全部进程和 PM2，终止正在运行的命令；最长 3 秒的 SIGSTOP；以 root 运行时还有磁盘写满。期间会不断提交任务和任务链、取消任务，还有一个每 10 秒触发一次的触发器。",
  "how long, at most {max}": "持续多少分钟，最多 {max}",
  "so many faults, however long they take": "制造多少次故障，不限时间",
  "as root, on a small disk that can be full": "以 root 运行时，使用可以写满的小磁盘",
  "chooses the faults; another one each time where none is given": "决定故障的随机种子；不写则每次不同",

  "talk with Mimikit in the terminal": "在终端里与 Mimikit 对话",
  "start a new conversation; history and memory are kept": "开始新的对话；历史和记忆都保留",
  "begin without asking": "不询问，直接开始",
  "complete commands and options with Tab": "用 Tab 补全命令和选项",
  "the shell that you use": "你使用的 shell",

  "the settings: show, set, unset and validate them": "设置：查看、修改、恢复默认、检查",
  "the settings with their values, and where each comes from": "各项设置的值和来源",
  "a part of a name": "名称的一部分",
  "save a setting in config.yaml": "把一项设置保存到 config.yaml",
  "the setting: mimikit config lists them": "设置的名称：用 mimikit config 查看",
  "its value, written as for a variable": "设置的值，写法与环境变量相同",
  "remove a setting from config.yaml: its default applies again": "从 config.yaml 移除一项设置，恢复默认值",
  "the setting": "设置的名称",
  "check the settings, with the line of each mistake and how to correct it": "检查设置，指出每个错误所在的行和改正方法",
  "config.yaml if not given": "不写则检查 config.yaml",

  "connect a model or an agent CLI: set its key or login, test it, and use it":
    "连接模型或智能体 CLI：设置密钥或登录，测试，然后使用",
  "Everything is tried before it is saved, with one small request, and takes effect at once, without a restart. Keys are kept in secrets.json, which this user alone may read; a variable that holds one goes before it.":
    "保存之前会先发送一个很小的请求来测试；保存后立即生效，无需重启。密钥保存在只有当前用户能读取的 secrets.json 里；如果环境变量里有密钥，以环境变量为准。",
  "openai, anthropic, google, ollama, codex, …: --list names all":
    "openai、anthropic、google、ollama、codex 等：用 --list 查看全部",
  "where it is, if not at its own address": "接口的地址，不写则用它自己的地址",
  "the model, by the name it has there": "模型，用它在那里的名称",
  "read its key from the pipe": "从管道读取密钥",
  "for this role alone; may be said more than once": "只用于这个角色；可以多次使用",
  "try it before it is saved; --no-test leaves that out": "保存前先测试；--no-test 不测试",
  "list the providers": "列出服务商",
  "forget its key": "删除它的密钥",

  "show Mimikit at work without a key, in an instance of its own, until Ctrl-C":
    "在独立的实例里演示 Mimikit 的工作，不需要密钥，按 Ctrl-C 结束",

  "the browsers and clients that are signed in: list them, add a client, sign one out":
    "已登录的浏览器和客户端：列出、添加客户端、退出登录",
  "mimikit pair  signs a browser in.": "浏览器用 mimikit pair 登录。",
  "the browsers and clients that are signed in": "已登录的浏览器和客户端",
  "add a client of /v1 and print its token, once": "添加一个 /v1 客户端，并输出它的令牌（只显示一次）",
  "a name for the client": "客户端的名称",
  "sign a browser or a client out, at once": "让一个浏览器或客户端立即退出登录",
  "its name or its id": "名称或编号",

  "check the installation and this instance": "检查安装和这个实例",
  "stop Mimikit and everything that it started": "停止 Mimikit 和它启动的一切",

  "the conversation: the newest messages, a search of all of them, an export": "对话：最新的消息、搜索、导出",
  "the newest messages, the newest at the end": "最新的消息，最新的在最后",
  "only messages of the user, the assistant or the system": "只看用户、助手或系统的消息",
  "search all messages ever, the best match first": "搜索全部消息，最相关的在最前",
  "the words to look for": "要搜索的词",
  "from this day on, or this moment: 2026-03-01, or ISO 8601": "从这一天或这个时刻开始：2026-03-01，或 ISO 8601 格式",
  "up to this day, inclusive, or this moment": "到这一天（含）或这个时刻为止",
  "print the whole history, to read or to keep elsewhere": "输出全部历史，用于阅读或另外保存",
  "Markdown to read, or JSON with earlier versions and all details": "Markdown 便于阅读；JSON 包含早先的版本和全部细节",

  "programs and addresses that are called on events: list, test them, keep their secrets":
    "发生事件时调用的程序和地址：列出、测试、保存签名密钥",
  "A hook is a file hooks/<name>.yaml in the state directory. Events: {events}. See docs/hooks.md.":
    "钩子是状态目录里的文件 hooks/<name>.yaml。事件：{events}。见 docs/hooks.md。",
  "each hook, the event it waits for, and its last delivery": "各个钩子、它等待的事件和最近一次投递",
  "the last deliveries of a hook, and those that wait": "一个钩子最近的投递和等待中的投递",
  "the hook: mimikit hooks lists them": "钩子的名称：用 mimikit hooks 查看",
  "send a sample event to a hook, and print the result": "向钩子发送一个示例事件，并显示结果",
  "save, make or delete a signing secret": "保存、生成或删除签名密钥",
  "the name of the secret": "签名密钥的名称",
  "make one, and print it": "生成并显示",
  "delete it": "删除",

  "come over from ChatGPT, Claude or OpenClaw: conversations, memories, schedules":
    "从 ChatGPT、Claude 或 OpenClaw 迁移：对话、记忆、日程",
  "Conversations are found by  mimikit history search  and by models that look into what was said; nothing answers them. The same file once more adds only what is new.":
    "导入的对话可以用 mimikit history search 搜索，模型查阅对话时也能找到，但不会作出回答。再次导入同一个文件只会添加新的内容。",
  "where it comes from": "来源",
  "the export: a zip, a folder, or one file of it": "导出的内容：zip、文件夹或其中一个文件",
  "show it, and change nothing": "只显示，不做更改",
  "without asking": "不询问",
  "take an import back": "撤销一次导入",

  "self-improvement: changes and their reasons; start one now": "自我改进：改了什么、为什么；也可以立即开始",
  "the improvements, the newest first, and how each ended": "各次改进及其结果，最新的在最前",
  "one improvement in full: why, diff, checks, review": "一次改进的全部内容：原因、差异、检查、审查",
  "the improvement, or its number": "改进的编号或序号",
  "look for something to improve now, whatever the schedule": "现在就找一件值得改进的事，不等日程",

  "show the log of the processes": "查看各个进程的日志",

  "MCP servers whose tools tasks may use: list, add, test, remove, log in; serve Mimikit as one":
    "任务可以使用其工具的 MCP 服务器：列出、添加、测试、移除、登录；也可以让 Mimikit 作为服务器",
  "The servers are in mcp.json in the state directory, in the format of other MCP clients; a running Mimikit notices each change. Worker pools start them in the sandbox of a Worker's shell.":
    "服务器写在状态目录的 mcp.json 里，格式与其他 MCP 客户端相同；运行中的 Mimikit 会察觉每次更改。服务器在 Worker 的 shell 所用的沙箱里启动。",
  "the servers, and the tools of each": "各个服务器和它们的工具",
  "add a server: a program of this machine, or an address": "添加服务器：这台机器上的程序，或一个地址",
  "a name for the server": "服务器的名称",
  "behind --: the program and its arguments": "写在 -- 之后：程序和它的参数",
  "its streamable HTTP address": "它的 streamable HTTP 地址",
  "NAME=VALUE for the program, or NAME for its value in this shell":
    "给程序的环境变量 NAME=VALUE；只写 NAME 则取当前 shell 里的值",
  "'Name: value' of each request": "每个请求的请求头 'Name: value'",
  "the roles that may use its tools, the Worker if not given; others only those that are read-only":
    "可以使用其工具的角色，不写则为 Worker；其他角色只能用只读的工具",
  "the level of its tools, whatever it declares": "它的工具的权限，不管它自己如何声明",
  "start a server, list its tools, end it": "启动服务器，列出它的工具，然后结束",
  "the server: mimikit mcp lists them": "服务器的名称：用 mimikit mcp 查看",
  "remove a server from mcp.json, and its login": "从 mcp.json 移除服务器，并删除它的登录",
  "log in to a server with a browser, and keep the login": "用浏览器登录一个服务器，并保存登录",
  "serve Mimikit to Claude Desktop, Cursor or codex: ask, remember, search, tasks, schedule":
    "供 Claude Desktop、Cursor 或 codex 使用 Mimikit：提问、记忆、搜索、任务、日程",
  "In claude_desktop_config.json:": "写在 claude_desktop_config.json 里：",
  "serve the tools of a task to an agent CLI, which starts this by itself": "向智能体 CLI 提供任务的工具，由它自己启动",
  "written by the worker pool": "由工作进程写入的文件",

  "the memory: search, add, forget, and see what a reply used": "记忆：搜索、添加、忘掉，查看回复用到了什么",
  "the files of the memory, their size, and how they are searched": "记忆的文件、大小和搜索方式",
  "build the search index and print its size; searches build their own":
    "建立搜索索引并显示大小；搜索时会自己建立，不依赖它",
  "search the memory, the best match first": "搜索记忆，最相关的在最前",
  "how many, at most {max}; {preset} if not given": "数量，最多 {max}；不写则为 {preset}",
  "from this day on, 2026-03-01": "从这一天开始，例如 2026-03-01",
  "up to this day, inclusive": "到这一天（含）为止",
  "only files whose names begin so: memory.md, memory/, memory/summary/, docs/":
    "只看以此开头的文件：memory.md、memory/、memory/summary/、docs/",
  "remember something": "记住一件事",
  "the text to remember; - reads it from the pipe": "要记住的内容；- 表示从管道读取",
  "to memory.md, not to the notes of today": "记到 memory.md，而不是今天的笔记",
  "to the description of Mimikit or of you, not to the memory": "记到对 Mimikit 或对你的描述里，而不是记忆里",
  "remove the entry with these words, or hide what was said from models; mimikit undo restores it":
    "移除含有这些词的一条，或不再让模型看到说过的话；可以用 mimikit undo 恢复",
  "words of one entry; - reads them from the pipe": "某一条里的词；- 表示从管道读取",
  "the entries that a reply was based on, and whether they have changed since":
    "一条回复所依据的记忆，以及之后是否改动过",
  "the id of a reply; the last one if not given": "回复的编号；不写则为最后一条",

  "print an address that signs one browser in": "输出一个让一个浏览器登录的地址",
  "print the address as a QR code too": "同时输出地址的二维码",

  "let another machine run tasks for this one: invite it, join from there, remove it":
    "让另一台机器为这台运行任务：邀请、加入、移除",
  "Set pools.url to a Redis or Valkey server that both machines reach. A machine that joins receives the tasks that name it. See docs/pools.md.":
    "把 pools.url 设为两台机器都能访问的 Redis 或 Valkey 服务器。加入的机器会收到指定给它的任务。见 docs/pools.md。",
  "print a code with which another machine joins": "输出供另一台机器加入的邀请码",
  "the name of the machine": "机器的名称",
  "tasks may name it, too": "任务也可以用它来指定",
  "how many tasks it runs at once": "同时运行多少个任务",
  "on the other machine: join with the code, and work until stopped": "在另一台机器上：用邀请码加入，一直工作到被停止",
  "the directory in which tasks run": "任务运行所在的目录",
  "this directory": "当前目录",
  "the address of the engine as this machine reaches it": "这台机器访问引擎所用的地址",
  "work at once; --no-start only joins": "立即开始工作；--no-start 只加入",
  "on the other machine: work from boot on, as a systemd unit": "在另一台机器上：作为 systemd 服务开机运行",
  "stop it, and remove the unit": "停止并移除服务",
  "remove a machine: its key is deleted and its messages are refused": "移除一台机器：删除它的密钥，拒绝它的消息",
  "the other machines that run tasks for this one, and their state": "为这台运行任务的其他机器和它们的状态",

  "questions that Mimikit asks you: list and answer them": "Mimikit 问你的问题：列出、回答",
  "the open questions, with their options by number": "待回答的问题，选项带序号",
  "answer a question": "回答一个问题",
  "the question, or the beginning of its id": "问题的编号或编号的开头",
  "the number of an option, y or n, or your own words; - reads them from the pipe":
    "选项的序号，y 或 n，或你自己的话；- 表示从管道读取",

  "the queues of the roles: list, pause and resume them": "各个角色的队列：列出、暂停、恢复",
  "the tasks that wait and run, by role": "各个角色排队和运行中的任务",
  "start no more tasks of a role; running ones finish": "不再启动某个角色的任务；运行中的会完成",
  "the role whose queue it is": "队列所属的角色",
  "start the waiting tasks of a role again": "重新启动某个角色排队的任务",

  "ready-made triggers: list, show, add, remove": "现成的触发器（配方）：列出、查看、添加、移除",
  "A recipe makes one trigger and at most one skill. One from outside is a reminder, or its tasks are limited to the level of its skill.":
    "一个配方创建一个触发器和最多一个技能。外来的配方只能提醒，或者它的任务受其技能的权限限制。",
  "the recipes that come with Mimikit, and those that were added": "Mimikit 自带的配方和已添加的配方",
  "a recipe with its prompt, its questions and its next firings; nothing changes":
    "一个配方的内容、问题和接下来的触发时间；不做更改",
  "its name, a file, or an https address": "名称、文件或 https 地址",
  "an answer, time=08:30; several times for several answers": "一个回答，例如 time=08:30；多个回答可多次使用",
  "add the trigger of a recipe, and its skill, after showing them": "先显示，再添加配方的触发器和技能",
  "another name, so that the same recipe can be added twice": "另起一个名称，这样同一个配方可以添加两次",
  "the most that a recipe from outside may do; {level} with --yes": "外来配方的最高权限；使用 --yes 时为 {level}",
  "add it without asking": "不询问，直接添加",
  "remove the trigger of a recipe, and its skill; mimikit undo restores the trigger":
    "移除配方的触发器和技能；触发器可以用 mimikit undo 恢复",
  "the recipe": "配方的名称",

  "restart the processes, with changed settings or code": "重启各个进程，使更改的设置或代码生效",
  "restore a backup into the state directory, while Mimikit is stopped": "在 Mimikit 停止时，把备份恢复到状态目录",
  "restore it even where damaged records leave others without what they depend on":
    "即使有记录因损坏而使其他记录缺少依据，也照样恢复",
  "a file that mimikit backup has made": "mimikit backup 创建的文件",
  "get another answer to your last message, as it was or reworded": "重新回答你的上一条消息，可以改写",
  "the provider; the one of the settings if not given": "服务商；不写则按设置",
  "the model; needs --provider": "模型；需要同时写 --provider",
  "send a message without waiting for the answer": "发送消息，不等待回答",
  "answer it separately, after the turn that runs": "在当前回复完成后单独回答",

  "start Mimikit at boot and keep it running: install, check and remove its unit":
    "开机启动 Mimikit 并保持运行：安装、检查、移除服务",
  "is there a unit, is it active, does everything run": "服务是否存在、是否启用、是否全部在运行",
  "a system unit, not one of this user": "系统服务，而不是当前用户的服务",
  "install and start the unit, or print it": "安装并启动服务，或只输出它的定义",
  "run without a login (loginctl)": "不登录也运行（loginctl）",
  "print the definition, change nothing": "只输出定义，不做更改",
  "stop Mimikit and remove the unit; the state is kept": "停止 Mimikit 并移除服务；状态保留",
  "keep Mimikit running until a signal: the program of the unit": "让 Mimikit 一直运行，直到收到信号：服务所用的程序",

  "reusable instructions for Workers: list, show, allow and disallow them":
    "供 Worker 使用的可复用操作说明：列出、查看、允许、取消允许",
  "the skills, and the folders that failed to load": "各个技能，以及加载失败的文件夹",
  "one skill in full, with its level and its files": "一个技能的全文、权限和文件",
  "the skill: mimikit skills lists them": "技能的名称：用 mimikit skills 查看",
  "let a skill of the workspace use the level that it declares": "允许工作区的技能使用它声明的权限",
  "make a skill of the workspace read-only again": "让工作区的技能重新变为只读",

  "processes, models, current work and next triggers": "进程、使用的模型、当前的工作和接下来的触发",
  "add to the running task or reply; it reads the message after its next step":
    "给当前任务或回复补充要求；它会在下一步之后读取",
  "the task; the one that runs now if not given": "任务；不写则为正在运行的任务",
  "stop the running reply or task; mimikit down stops Mimikit itself":
    "停止当前的回复或任务；停止 Mimikit 本身用 mimikit down",

  "tasks: list, show, cancel and repeat them": "任务：列出、查看、取消、重试",
  "the newest tasks": "最新的任务",
  "only tasks in this state": "只看处于这个状态的任务",
  "only tasks of this role": "只看这个角色的任务",
  "only tasks whose title, prompt or id contains it": "只看标题、内容或编号含有它的任务",
  "one task in full, or its transcript": "一个任务的全部内容，或逐步记录",
  "the task": "任务的编号或标题",
  "its messages and tool calls, step by step": "它的消息和工具调用，逐步列出",
  "cancel a task and everything below it": "取消一个任务和它的所有下级任务",
  "run a task once more after it has ended": "任务结束后再执行一次",
  "a prompt that replaces the former one": "用新的内容替换原来的",

  "scheduled and conditional work: list, add, change, pause, run, explain, simulate":
    "定时和按条件执行的工作：列出、添加、更改、暂停、运行、解释、预演",
  "all triggers, the next to fire first": "全部触发器，最先触发的在最前",
  "one trigger in full, with its last firings": "一个触发器的全部内容和最近的触发",
  "its title, its id or the beginning of its id": "标题、编号或编号的开头",
  "add a trigger: a prompt, and when it runs": "添加触发器：做什么、什么时候做",
  "the prompt": "要做什么",
  "the prompt, instead of words at the end": "要做什么，代替写在末尾的文字",
  "when: at this interval, 30s, 10m, 2h, 1d": "时间：固定间隔，例如 30s、10m、2h、1d",
  "when: second minute hour day month weekday": "时间：秒 分 时 日 月 星期",
  "the time zone of --cron; that of this terminal if not given": "--cron 的时区；不写则用终端的时区",
  "when: once, like 2026-12-01T09:00:00+08:00": "时间：只一次，例如 2026-12-01T09:00:00+08:00",
  "when: a condition as JSON": "时间：JSON 格式的条件",
  "when: a file of this path or glob changes": "时间：符合此路径或通配符的文件变化时",
  "when: this file exists": "时间：此文件存在时",
  "conditions: the shortest time between two firings": "条件：两次触发的最短间隔",
  "conditions: how long it must hold before it fires": "条件：持续成立多久才触发",
  "--when-file-changes: how long a file must be unchanged (2s)": "--when-file-changes：文件要保持不变多久（2s）",
  "schedules: which missed moments run later (latest)": "定时：错过的时刻补执行哪些（latest）",
  "a title for lists": "在列表里显示的标题",
  "the role that gets it: teller (if not given), {others}": "执行的角色：teller（不写时）、{others}",
  "the machine, or the label of machines, that runs it: mimikit pools":
    "运行它的机器的名称或标签：用 mimikit pools 查看",
  "0 to 10, 5 if not given": "0 到 10，不写则为 5",
  "how long each run may take": "每次运行的最长时间",
  "what to do after a crash during a run": "运行中断后如何处理",
  "tokens it may use in a day": "每天可用的 token 数",
  "US dollars it may cost in a day": "每天可花费的美元数",
  "change the prompt of a trigger, or when and how it runs": "更改触发器的内容、时间或执行方式",
  "stop a trigger from firing until it is resumed": "暂停触发器，直到恢复",
  "let a paused trigger fire again": "恢复已暂停的触发器",
  "count a schedule from now, after a clock that was ahead": "系统时钟曾经偏快时，从现在起重新计时",
  "all that are ahead of the clock if not given": "不写则为所有比时钟偏快的触发器",
  "fire a trigger now": "立即触发",
  "delete a trigger; mimikit undo restores it": "删除触发器；可以用 mimikit undo 恢复",
  "why a trigger fires, or why not": "触发器为什么触发，或为什么没有触发",
  "list coming firings and their cost; nothing runs": "列出接下来的触发和费用；不会执行",
  "one of them, by its title or id; all if not given": "其中一个的标题或编号；不写则为全部",
  "the first moment, ISO 8601 or 2h from now; now if not given":
    "开始的时刻，ISO 8601 格式，或从现在算起的 2h；不写则为现在",
  "the last moment": "结束的时刻",
  "how many firings are listed": "列出多少次触发",

  "revert a change of memory, to-dos, triggers or settings, or a merged self-improvement":
    "撤销对记忆、待办、触发器或设置的更改，或已合并的自我改进",
  "the change; without one, the changes are listed": "更改的编号；不写则列出各项更改",
  "how many are listed": "列出多少项",

  "start Mimikit and print its address": "启动 Mimikit，并显示它的地址",
  "do nothing after mimikit down, nor where PM2 is at work on it":
    "如果已用 mimikit down 停止，或 PM2 正在处理，就什么都不做",
  "ask nothing at the first start: the defaults count": "首次启动时不询问，使用默认值",
  "install the newest version and restart with it": "安装最新版本，并用它重启",
  "only list what is new": "只列出更新的内容",
  "of a package: the file, folder or address of the new one": "以软件包安装时：新软件包的文件、文件夹或地址",
  "only try this version out on a copy: a backup": "只用一个备份的副本试运行这个版本",
  "the usage and cost of the last days": "最近几天的用量和费用",
};
