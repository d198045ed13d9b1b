/**
 * Every attack that is tried, its expected outcome, and the tests that try it. `npm run test:attacks` runs them and prints the
 * table; `npm run docs` writes it into docs/attacks.md; docs/security.md names attacks by their numbers.
 */

/** A file, whose tests with the number of the attack in front are meant; or a file and a part of the titles of some. */
export type Shown = readonly [file: string, title?: string];

export interface Attack {
  number: number;
  attack: string;
  /** The required outcome. */
  must: string;
  shown: readonly Shown[];
}

interface Group {
  title: string;
  attacks: readonly (readonly [number: number, attack: string, must: string, ...shown: Shown[]])[];
}

const REQUESTS = "test/attacks/requests.test.ts";
const SOCKETS = "test/attacks/sockets.test.ts";
const PLANTED = "test/attacks/planted.test.ts";
const FUZZ = "test/attacks/fuzz.test.ts";
const GATEWAY = "test/http-gateway";
const SIGNING_IN = `${GATEWAY}/routes/signing-in.test.ts`;
const TRIGGERS = `${GATEWAY}/routes/triggers.test.ts`;
const FILES = `${GATEWAY}/routes/files.test.ts`;
const V1 = `${GATEWAY}/routes/v1.test.ts`;
const PUSH = `${GATEWAY}/routes/push.test.ts`;
const HOSTILE = "test/agent/prompt/prompt-hostile.test.ts";
const KERNEL = "test/agent/kernel/kernel.test.ts";
const BUS = "test/agent/bus.test.ts";
const SANDBOX = "test/agent/shell/sandbox.test.ts";
const SKILLS = "test/agent/skills/skills.test.ts";
const AUTONOMY = "test/e2e/autonomy.test.ts";
const ADOPTION = "test/e2e/adoption.test.ts";
const FAULTS = "test/e2e/faults.test.ts";
const CLAUDE = "test/agents/claude.test.ts";
const SWAPPED = "test/agent/kernel/tools/swapped-directory.test.ts";
const ESCAPES = "test/agent/shell/escapes.test.ts";
const SETTINGS = "test/improve/planted-settings.test.ts";
const LOG = "test/runtime/audit/log.test.ts";
const FORMULAS = "test/browser/answers.test.ts";

const GROUPS: readonly Group[] = [
  {
    title: "A page of another site, or another host",
    attacks: [
      [1, "a page of another origin posts", "403, nothing written; our own page is let in", [REQUESTS]],
      [2, "`Origin: null`", "403", [REQUESTS]],
      [3, "an origin that begins like ours", "403", [REQUESTS]],
      [4, "our host with another port, scheme or name", "403", [REQUESTS]],
      [5, "no origin and no token", "401", [REQUESTS]],
      [6, "a foreign `Host` (DNS rebinding)", "421", [REQUESTS]],
      [
        7,
        "`Host` with a trailing dot, userinfo, without a port; in upper case",
        "421; upper case is the same name",
        [REQUESTS],
      ],
      [8, "`X-Forwarded-Host`, `Forwarded`", "ignored: 421", [REQUESTS]],
      [9, "JSON as another type, charset or compressed", "415", [REQUESTS]],
      [10, "a form", "415", [REQUESTS]],
      [11, "a restart without a body", "401, with a token 415", [REQUESTS]],
      [12, "GET on a route that changes something", "405", [REQUESTS]],
      [13, "a method override", "ignored: 405", [REQUESTS]],
      [14, "a preflight from another origin", "403, no word about CORS", [REQUESTS]],
      [15, "`*.localhost`, `0.0.0.0`, `::ffff:127.0.0.1`", "421, unless listed", [REQUESTS]],
    ],
  },
  {
    title: "The WebSocket",
    attacks: [
      [16, "an upgrade from another origin or to another host", "403, 421", [SOCKETS]],
      [17, "a hello without a token, with a wrong one, none at all", "closed with 1008, nothing said", [SOCKETS]],
      [18, "a token in the address", "no credential: 401, 400 for `/ws`", [SOCKETS], [REQUESTS]],
      [
        19,
        "an address in the query that the page should connect to",
        "404 elsewhere; the page's policy allows its own origin alone",
        [SOCKETS],
        ["test/http-gateway/routes/page.test.ts", "carries the security headers"],
      ],
      [20, "a frame longer than any message, a hello of 65 KB", "1009, 1008", [SOCKETS]],
      [21, "10 MB in fragments", "1009", [SOCKETS]],
      [22, "a bomb in a compressed frame", "compression is never agreed upon", [SOCKETS]],
      [23, "more sockets than 64", "503, until one leaves", [SOCKETS]],
      [24, "a reader that stands still", "cut off at 1 MB, the others go on", ["test/http-gateway/live/live.test.ts"]],
      [25, "a message before hello; no JSON; binary frames", "1008; told; 1003", [SOCKETS]],
    ],
  },
  {
    title: "Signing in",
    attacks: [
      [
        26,
        "ten wrong tokens in a minute",
        "429 for five minutes, from the loopback too; the right one passes",
        [SIGNING_IN],
      ],
      [27, "a second, bogus credential", "neither helps nor hides a wrong one", [SIGNING_IN]],
      [
        28,
        "guessing by the time that a comparison takes",
        "digests of one length, in constant time",
        [`${GATEWAY}/auth/same.test.ts`],
      ],
      [29, "a pairing code twice", "410", [SIGNING_IN]],
      [30, "a pairing code after ten minutes", "410", [SIGNING_IN]],
      [
        31,
        "a cookie that scripts or other sites can use",
        "`HttpOnly`, `SameSite=Strict`, and a secret beside it",
        [SIGNING_IN],
        [SIGNING_IN, "neither the cookie nor the secret is enough alone"],
      ],
      [
        32,
        "listening where other machines reach it",
        "refused without a list of names",
        [`${GATEWAY}/auth/hosts.test.ts`],
      ],
      [
        33,
        "a token file that others can read",
        "refused, with the command that fixes it",
        [`${GATEWAY}/auth/hosts.test.ts`],
        ["test/runtime/home/home.test.ts", "a token that others can read is refused"],
      ],
    ],
  },
  {
    title: "What a request holds",
    attacks: [
      [34, "a body longer than allowed, said or not", "413", [REQUESTS]],
      [35, "JSON 17 to 5,000,000 levels deep", "400, 413", [REQUESTS]],
      [36, "`__proto__`, `constructor.prototype`", "400", [REQUESTS]],
      [37, "a key twice", "the last counts, one record", [REQUESTS]],
      [38, "lone surrogates, NUL, U+202E, bytes that are no UTF-8", "kept escaped, as sent; 400", [REQUESTS]],
      [39, "1e309, -0, huge integers", "400", [REQUESTS]],
      [40, "a message of nothing but tags", "is a message", [REQUESTS]],
      [41, "a header or a body that never ends", "cut off within 10 s", [REQUESTS]],
      [42, "malformed percent-encoding", "400 without a stack", [REQUESTS]],
    ],
  },
  {
    title: "Paths and files",
    attacks: [
      [43, "ids such as `../x`, `a/b`, NUL, `CON`, `__proto__`", "400, 404", [REQUESTS]],
      [
        44,
        "a title that would become a path",
        "stays inside memory/",
        ["test/core/rules/remember.test.ts", "no words of a user's lead anywhere else than into memory/"],
      ],
      [45, "a link in the place of a record", "set aside, its target untouched", [PLANTED]],
      [46, "a state directory of another user, also behind a link", "refused", ["test/runtime/home/home.test.ts"]],
      [47, "a pipe, a socket, a device in the place of a record", "set aside, nothing waits for it", [PLANTED]],
      [
        48,
        "a hard link in inbox/ to a file elsewhere",
        "set aside; a copy is taken",
        [FAULTS, "a hard link in inbox/"],
      ],
      [
        49,
        "HTML and SVG among files and attachments",
        "saved, not shown; nothing in them runs",
        [FILES, "nothing in any of them may run"],
        [`${GATEWAY}/routes/attachments.test.ts`, "can do nothing in a browser"],
      ],
    ],
  },
  {
    title: "Triggers",
    attacks: [
      [
        50,
        "globs that match everything, or without end",
        "delay nothing else",
        [REQUESTS],
        ["test/runtime/workspace/workspace-files.test.ts", "that matches too much is not known to hold"],
      ],
      [
        51,
        "conditions of 17 levels, of 65 leaves",
        "400",
        [REQUESTS],
        [TRIGGERS, "a condition of 16 levels and 64 leaves is taken"],
      ],
      [52, "intervals of 0, -1 and 1e-9 s, a cron of every second", "400", [REQUESTS]],
      [
        53,
        "a trigger that makes triggers",
        "refused two deep",
        [BUS, "is refused to what a trigger of a trigger of a trigger started"],
      ],
      [54, "ten thousand triggers", "a thousand at most", [TRIGGERS, "there are a thousand triggers at most"]],
    ],
  },
  {
    title: "Words that would be orders",
    attacks: [
      [55, "a message with tags of calls, which the model repeats", "are words", ["test/attacks/words.test.ts"]],
      [
        56,
        "a result with calls in it",
        "is quoted",
        ["test/attacks/words.test.ts"],
        [HOSTILE, "a plan and a piece of work read back"],
      ],
      [
        57,
        "text that poses as the system, from everywhere at once",
        "opens no section and no tag",
        [HOSTILE, "from everywhere at once"],
      ],
      [
        58,
        "a model that calls a tool which its role has not",
        "unknown tool, nothing happens",
        ["test/attacks/words.test.ts"],
        ["test/core/decide.test.ts", "a role's effect that it has no right to changes nothing"],
      ],
      [
        59,
        "memory that holds orders",
        "is quoted, with its source",
        [HOSTILE, "a turn reads back to exactly what it was made of"],
      ],
    ],
  },
  {
    title: "What leaks",
    attacks: [
      [
        60,
        "secrets in logs, answers, files, processes",
        "in none",
        [REQUESTS],
        [LOG, "neither the token nor the secrets of the environment"],
        ["test/e2e/keys.test.ts", "no key leaves secrets.json"],
      ],
      [
        61,
        "scripts, images and forms in Markdown",
        "nothing runs, nothing is asked for",
        ["test/browser/page.test.ts", "runs no script and loads nothing"],
        ["test/browser/page.test.ts", "HTML in a reply is read as text"],
      ],
      [
        62,
        "forged lines of the log, commands to the terminal",
        "one line, escaped",
        [LOG, "no text can forge a line"],
        ["test/cli/io/print.test.ts", "text from outside cannot command the terminal"],
      ],
    ],
  },
  {
    title: "A repository, and the machine",
    attacks: [
      [
        63,
        "a repository that brings a `.mimikit/` with commands and an endpoint",
        "runs nothing, is sent no key",
        [ADOPTION, "a state directory that came with a clone runs nothing"],
      ],
      [
        64,
        "its token, its links, another in its place",
        "adopt nothing; links keep it from being started",
        [ADOPTION, "the token alone adopts nothing"],
        [ADOPTION, "links in a state directory"],
        [ADOPTION, "another directory at the place of an adopted one"],
      ],
      [
        65,
        "modules of PM2 in it",
        "never run",
        ["test/pm2/pm2.test.ts", "modules of PM2 that came with a state directory"],
      ],
      [
        66,
        "a skill of the workspace that declares a level",
        "read-only until allowed",
        [SKILLS, "is read-only until its owner approves"],
        [SKILLS, "is read-only again when one of its files is changed"],
      ],
      [
        67,
        "`.mcp.json`, settings of agent CLIs in the workspace; a link to a key in place of an `AGENTS.md`",
        "not read",
        ["test/e2e/mcp.test.ts", "a .mcp.json of the workspace is not read"],
        [CLAUDE, "takes no orders from the workspace"],
        ["test/agents/codex.test.ts", "takes no orders from the workspace"],
        ["test/agent/skills/guides.test.ts", "does not count, and is told"],
      ],
      [68, "PM2's socket from the sandbox", "not there", [SANDBOX, "sees nothing of PM2"]],
      [69, "the state directory from the sandbox, by detours", "empty", [SANDBOX, "has no detour into it"]],
      [
        70,
        "the variables of other processes from the sandbox",
        "no other process is seen",
        [SANDBOX, "sees its own processes and no others"],
      ],
      [
        71,
        "what a Worker's shell leaves for the next `claude`",
        "the key goes where we say",
        [CLAUDE, "takes no orders from what its shell has left"],
      ],
      [
        72,
        "another user who claims the sockets of the roles",
        "cannot know their names",
        ["test/runtime/process/singleton.test.ts", "another user cannot claim a role"],
      ],
      [
        73,
        "another user who reads the written files",
        "0700 and 0600, whatever the umask",
        ["test/runtime/home/home.test.ts", "every directory of the protocol exists and is private"],
        ["test/pm2/pm2.test.ts", "and the state is private"],
      ],
      [
        74,
        "a role that stands still",
        "reported, killed, restarted",
        ["test/e2e/watchdog.test.ts", "is reported and killed"],
      ],
      [
        75,
        "a full disk",
        "507, roles wait, nothing is lost",
        ["test/e2e/full-disk.test.ts", "roles that start wait for free space"],
      ],
      [
        76,
        "directories of the state that are removed",
        "come back, and are named",
        ["test/e2e/removed-directories.test.ts", "comes back, is named in the status"],
      ],
      [77, "a directory among the sessions", "no session is lost", [SIGNING_IN, "a directory among the sessions"]],
      [
        78,
        "lines of the audit log that are put in or taken away",
        "found",
        ["test/cli/audit-verify.test.ts", "a line that was put in is a break"],
        ["test/runtime/audit/audit.test.ts", "a finished file that was taken away is found"],
      ],
      [
        79,
        "a command that leaves its session and its environment",
        "ended with its task, or told",
        ["test/agent/shell/command.test.ts", "what leaves its session"],
        ["test/e2e/left-running.test.ts", "a task whose command has left something"],
      ],
      [
        80,
        "a clock that was ahead for a moment",
        "schedules it used up are reported",
        ["test/e2e/schedules.test.ts", "a schedule that a clock which was ahead has used up"],
      ],
      [
        81,
        "names in a backup that lead out of it",
        "refused",
        ["test/cli/backup/tar.test.ts", "the name %s is refused"],
      ],
    ],
  },
  {
    title: "Other programs and people",
    attacks: [
      [82, "a client's token used elsewhere than under `/v1`", "403", [V1, "is good for /v1 alone"]],
      [83, "a client's system prompt and tools", "ignored", [V1, "what means nothing here is ignored, tools included"]],
      [
        84,
        "a recipe that wants more than its skill",
        "held to the skill's level",
        ["test/e2e/recipes.test.ts", "is held to the level of its skill"],
      ],
      [
        85,
        "links in an export of another assistant",
        "nothing outside is read",
        ["test/cli/import/read-exports.test.ts", "nothing outside of the folder is read through a link"],
      ],
      [
        86,
        "commands in what a hook is told",
        "data on its input",
        ["test/e2e/hooks.test.ts", "nothing in that is obeyed"],
      ],
      [
        87,
        "a hook's address that redirects or never ends",
        "not followed, given up",
        ["test/e2e/hooks.test.ts", "follows no redirect"],
        ["test/e2e/hooks.test.ts", "that hangs holds up neither"],
      ],
      [
        88,
        "a delivery that is forged, old or for another hook",
        "does nothing, locked out",
        ["test/e2e/hooks-in.test.ts", "what is not signed rightly"],
      ],
      [
        89,
        "an MCP server that lies about itself, or hands out the state",
        "one bounded line; an empty directory",
        ["test/agent/mcp/tools.test.ts", "is one line that opens no tag"],
        ["test/agent/mcp/connection.test.ts", "a server cannot hand out the state directory"],
      ],
      [
        90,
        "a login sent to another address than its own",
        "never",
        ["test/agent/mcp/login.test.ts", "a login is sent to no other address"],
      ],
      [
        91,
        "strangers and groups in a chat app",
        "no answer, listed, nothing starts",
        ["test/e2e/channels.test.ts", "a stranger and a group get no answer"],
      ],
      [
        92,
        "a push subscription elsewhere, an answer without proof",
        "refused",
        [PUSH, "an address is https and bounded"],
        [PUSH, "an answer without a proof of ours"],
      ],
      [
        93,
        "keys in what PM2 holds, shows or saves",
        "in none",
        ["test/pm2/keys.test.ts", "neither PM2 nor any process has it"],
        ["test/pm2/keys.test.ts", "a PM2 of one's own has no key either"],
      ],
      [
        94,
        "a file of the workspace that leads out of it",
        "not given",
        [FILES, "nothing outside of the workspace is given"],
      ],
      [
        95,
        "a model's file tools on the state directory, or outside the workspace without your yes",
        "refused",
        ["test/agent/kernel/tools/kernel-tools.test.ts", "never reach %s"],
      ],
      [
        96,
        "a model that goes in circles, or calls a thousand tools",
        "ended, bounded",
        [KERNEL, "is the same call three times in a row"],
        [KERNEL, "are limited for a round and for a run"],
      ],
      [
        97,
        "a read-only skill that orders to write",
        "writes nothing from then on",
        [SKILLS, "that is read-only writes nothing from then on"],
      ],
      [
        98,
        "formulas and diagrams that define, link or load",
        "nothing runs, nothing is asked for",
        [FORMULAS, "runs nothing, loads nothing and covers nothing"],
        [FORMULAS, "is drawn in a document that has no origin"],
      ],
    ],
  },
  {
    title: "Everything at once",
    attacks: [
      [
        99,
        "bytes that are no HTTP, headers too large, requests too slow",
        "an error as JSON",
        [`${GATEWAY}/http/malformed.test.ts`, "as JSON"],
      ],
      [
        100,
        "100,000 random requests of the grammar of the API",
        "no 5xx except by design, no hang, only JSON, the same processes; nothing of a refused request is kept",
        [FUZZ, "requests: none is answered"],
        [FUZZ, "of all that was refused nothing is kept"],
      ],
      [101, "5,000 requests with damaged bytes", "HTTP or nothing comes back", [FUZZ, "damaged requests"]],
      [
        102,
        "20,000 random frames",
        "each is answered in its turn, or its socket closed with a reason",
        [FUZZ, "frames: each"],
      ],
    ],
  },
  {
    title: "Models, tasks and the sandbox",
    attacks: [
      [
        103,
        "a model's command that reaches for the network, or for files elsewhere",
        "has neither until the owner says yes",
        [AUTONOMY, "a command runs in the workspace unasked"],
        [AUTONOMY, "a command that wants the network asks"],
        [AUTONOMY, "a path outside the workspace asks"],
        [AUTONOMY, "without a sandbox every command"],
      ],
      [
        104,
        "a yes used twice, or for more than was asked",
        "asks again",
        [AUTONOMY, "a yes that was used asks again"],
        [AUTONOMY, "it is not run again for the same yes"],
      ],
      [
        105,
        "Mimikit's program, the user's skills and the /tmp of others from the sandbox",
        "read-only; not there",
        [SANDBOX, "changes neither Mimikit's own program"],
        [SANDBOX, "has a /tmp of its own"],
      ],
      [
        106,
        "another state directory of the user, or a forged record of adoption",
        "not there, and not written",
        [SANDBOX, "sees nothing of another state directory"],
      ],
      [
        107,
        "the network from a run that follows a read-only skill",
        "none, on codex and claude too",
        ["test/agents/skills.test.ts", "reaches no server"],
      ],
      [
        108,
        "a task that takes the worker pool down with its neighbours",
        "it alone is given up",
        ["test/e2e/poison.test.ts", "its neighbours finish"],
      ],
      [
        109,
        "`web_fetch` led to this machine or a private network: by an address however it is written, a name, a redirect",
        "not connected to, unless the owner allows the host",
        ["test/e2e/web.test.ts", "reaches nothing of this machine as it is set up"],
        ["test/agent/web/get-page.test.ts", "is not connected to as %s"],
        ["test/agent/web/get-page.test.ts", "is not connected to by a name where only the address is allowed"],
        ["test/agent/web/get-page.test.ts", "is not reached by a redirect to %s"],
        ["test/agent/web/addresses.test.ts", "%s is not everybody's"],
      ],
      [
        110,
        "a page without an end, a bomb of compression, a page that keeps a parser busy for minutes",
        "bounded; all else goes on",
        ["test/agent/web/get-page.test.ts", "is read up to its bound"],
        ["test/agent/web/get-page.test.ts", "a server that does not come to its end is left"],
        ["test/agent/web/get-page.test.ts", "is given up, while all else goes on"],
      ],
    ],
  },
  {
    title: "Out of the sandbox",
    attacks: [
      [
        111,
        "a directory that is swapped for a link while a file tool works in it",
        "nothing outside is read, written or edited",
        [SWAPPED, "read nothing outside"],
        [SWAPPED, "write nothing outside, also where %s is swapped"],
        [SWAPPED, "edit nothing outside"],
      ],
      [
        112,
        "the same on the way to a skill's file, or to `AGENTS.md`",
        "nothing outside is shown to a model",
        [SWAPPED, "neither do the files of a skill"],
      ],
      [
        113,
        "a file tool that writes git's settings or hooks",
        "asks, or is refused",
        ["test/agent/kernel/tools/kernel-tools.test.ts", "never reach %s"],
      ],
      [
        114,
        "`core_pattern` and other settings of the kernel",
        "read-only",
        [ESCAPES, "opens no setting of the kernel for writing"],
      ],
      [
        115,
        "the clock, mounts, device files and the host name, as root has them",
        "refused",
        [ESCAPES, "sets no clock, mounts nothing"],
      ],
      [
        116,
        "disks, the kernel's memory, input devices",
        "not there",
        [ESCAPES, "has no disk, no memory of the kernel"],
      ],
      [117, "terminals in which the owner types", "not there", [ESCAPES, "reads and writes no terminal of the owner"]],
      [118, "shared memory of others, or left behind", "its own", [ESCAPES, "shares no memory with others"]],
      [
        119,
        "git's settings, hooks and attributes of the workspace's repository, also of its submodules and worktrees",
        "unchanged, whatever a command does; commits work",
        [ESCAPES, "a command that %s changes none of its settings"],
        [ESCAPES, "a repository with settings of its own for worktrees"],
        [ESCAPES, "a command commits, branches, stashes and merges"],
      ],
      [
        120,
        "another repository in the place of it: a directory, a file or a link that is exchanged, a `commondir`",
        "cannot be exchanged; removed",
        [ESCAPES, "a command that %s changes none of its settings"],
        [ESCAPES, "a workspace that is a linked worktree keeps its link"],
        [ESCAPES, "what names the settings of another repository is removed"],
      ],
      [
        121,
        "programs that a repository's settings name, while Mimikit merges an improvement or undoes one",
        "none runs",
        [SETTINGS, "no program that they name runs at a merge"],
        [SETTINGS, "the filters of the owner's global settings run as they are there"],
        [SETTINGS, "a merge driver that they name is replaced"],
        [SETTINGS, "nothing of a submodule's own settings runs"],
      ],
      [
        122,
        "a tree above the workspace that they name",
        "refused, nothing is written",
        [SETTINGS, "a tree that they put above the workspace is not written to"],
      ],
      [
        123,
        "`git add -A` by a command",
        "takes nothing of the state",
        [ESCAPES, "no commit of a command holds the state"],
      ],
      [
        124,
        "copies of the state with live secrets beside it, or in the workspace",
        "moved into the state directory; `doctor` names others",
        ["test/runtime/home/home.test.ts", "copies of a state that lie beside it are moved into it"],
        [SANDBOX, "the proof finds copies of secrets that a command can read"],
      ],
      [
        125,
        "a link of an allowed skill that is pointed elsewhere",
        "read-only again",
        [SKILLS, "is read-only again when one of its files is changed, added or removed"],
      ],
    ],
  },
  {
    title: "Consent, and keys",
    attacks: [
      [
        126,
        "a command with 1,500 spaces, tabs or line breaks before what it really does",
        "all of it is in the card, wrapped and written out",
        ["test/browser/approvals.test.ts", "shows all of a command"],
        ["test/protocol/visible.test.ts", "nothing invisible is left in that"],
      ],
      [
        127,
        "characters without a glyph, that turn text around or cover others, and a command with our own marks",
        "written out; the text can be read back",
        ["test/protocol/visible.test.ts", "every character of Unicode without a visible glyph"],
      ],
      [
        128,
        "a host or a program with letters of another script",
        "named, with the odd letters written out",
        ["test/protocol/visible.test.ts", "are named"],
        ["test/core/rules/approve.test.ts", "a word that mixes scripts is named"],
      ],
      [
        129,
        "a title, a tool or a directory that ends the question and begins another one",
        "one line, and inert",
        ["test/core/rules/approve.test.ts", "cannot pass for a part of the question"],
      ],
      [
        130,
        "*always* for a program that runs others, under any name or by an option",
        "not offered, and not covered by an older permission",
        ["test/core/tasks/simple-command.test.ts", "it is never offered for %s"],
      ],
      [
        131,
        "a machine of a pool that writes the question, or a permission for the home",
        "the home writes it; the yes is for that machine",
        ["test/worker-pool/accept-outcome.test.ts", "is asked in the words of the home"],
        ["test/worker-pool/gate-of.test.ts", "a yes is for the machine that asked"],
      ],
      [
        132,
        "a machine of a pool that fills the audit log, or names files of the home",
        "bounded; told as files of the machine",
        ["test/worker-pool/dispatcher.test.ts", "fills no audit log"],
        ["test/worker-pool/accept-outcome.test.ts", "a change names no file of the home"],
      ],
      [
        133,
        "a trial, a connection or a changed address that leads a key to another server",
        "the key is not sent",
        ["test/agent/connect-elsewhere.test.ts", "gets neither the key of %s nor the kept one"],
        ["test/agent/connect-elsewhere.test.ts", "a kept key follows no change of the address"],
      ],
      [
        134,
        "a redirect to another server, with a key in a header of its own",
        "not followed",
        ["test/agent/connect-elsewhere.test.ts", "no redirect takes a key to another server"],
      ],
      [
        135,
        "a password in an address of any scheme, in settings and backups",
        "masked",
        ["test/runtime/config/masked.test.ts", "no setting shows a secret"],
        ["test/cli/backup/no-password.test.ts", "with secrets: %s"],
      ],
      [
        136,
        "settings that are broken, so that their limits fall away",
        "the last valid ones count, or nothing starts",
        ["test/e2e/unread-settings.test.ts", "nothing starts where the first config.yaml has"],
        ["test/e2e/unread-settings.test.ts", "a mistake falls back to what was valid last"],
      ],
    ],
  },
  {
    title: "Words by a channel",
    attacks: [
      [
        137,
        "a new Telegram bot whose messages have the ids of an old one's",
        "each is taken; a reply there answers nothing of the old bot's",
        ["test/conformance/telegram-bots.test.ts", "all that is said to a new bot in the same chat is taken"],
        ["test/conformance/telegram-bots.test.ts", "is neither an answer nor a quotation of what the old bot has sent"],
        ["test/conformance/telegram-bots.test.ts", "what was taken just before the update is not doubled after it"],
      ],
      [
        138,
        "an order, a command or an answer in a message that is forwarded or sent by a bot, in each form of the vendor's",
        "a file that names its origin; nothing runs",
        ["test/conformance/telegram-quoted.test.ts", "is no command and no answer; its words come as a file"],
        ["test/e2e/channels.test.ts", "a message that is forwarded is told as a file"],
      ],
      [
        139,
        "an order in a quotation, a story or a block of code beside typed words",
        "data beside a message",
        ["test/conformance/telegram-quoted.test.ts", "typed words beside a quotation are a message"],
        ["test/conformance/telegram-quoted.test.ts", "keep their marks, so that no line of them reads as an order"],
      ],
      [
        140,
        "an order in the caption of a forwarded picture, the name of a contact or of a file",
        "data; a name is one line",
        ["test/conformance/telegram-quoted.test.ts", "the caption of a forwarded picture, a contact that is shared"],
      ],
      [
        141,
        "a forwarded code of pairing; a chat of a business account with the number of a private one",
        "pairs nobody; is not heard",
        ["test/conformance/telegram-quoted.test.ts", "a code of pairing that somebody forwards pairs nobody"],
        ["test/conformance/telegram-quoted.test.ts", "is not the private chat with the same number"],
      ],
      [
        142,
        "a reader of the ntfy topic of notifications who wants to answer or to order",
        "learns no topic that commands, and has nothing to press",
        ["test/conformance/ntfy.test.ts", "nothing of it lets a reader press one or speak as the owner"],
      ],
      [
        143,
        "old messages at another ntfy server or topic",
        "not taken; equal ids are other messages",
        ["test/conformance/ntfy.test.ts", "another topic or server begins anew"],
      ],
      [
        144,
        "a question with more or longer answers than there is room for on buttons",
        "no buttons rather than one without the no; all answers are in the text",
        ["test/core/buttons.test.ts", "the buttons are all of the options"],
        ["test/conformance/telegram.test.ts", "all options are numbered, and a reply names one"],
        ["test/http-gateway/push/payload.test.ts", "a question has buttons where all of its answers are"],
      ],
      [
        145,
        "a topic or a token of a channel in a file, a log, an answer or a backup without secrets",
        "in none, byte by byte",
        ["test/e2e/channels.test.ts", "topics and tokens are in secrets.json and nowhere else"],
      ],
      [
        146,
        "a topic that an earlier version kept in clear",
        "kept as a digest after the first start",
        ["test/conformance/ntfy.test.ts", "a topic that an earlier version kept in clear goes on working"],
      ],
    ],
  },
  {
    title: "Texts that take a parser long",
    attacks: [
      [
        147,
        "a text for which a regular expression of the program takes more than linear time",
        "there is no such regular expression",
        ["test/patterns.test.ts", "of the program takes linear time, whatever it reads"],
        ["test/patterns.test.ts", "that is made while the program runs has no foreign parts"],
      ],
      [
        148,
        "runs of one character, repeated pairs, deep nesting, beginnings without an end, aliases of aliases, half characters, to each parser of foreign text",
        "the parser ends, and its process does not crash",
        ["test/foreign/foreign.test.ts", "%s ends, whatever the text"],
      ],
      [
        149,
        "a document on which the search of memory hangs",
        "the thread is ended, the document named once and left out until it changes",
        ["test/memory/search-thread.test.ts", "that hangs on a document is ended, names it once"],
        ["test/memory/search-thread.test.ts", "leaves out the version of a document that it was given"],
      ],
      [
        150,
        "a heading of a document as long as the document",
        "it is no heading, and the document is read",
        ["test/memory/headings.test.ts", "of more than 1,000 characters is none"],
      ],
      [
        151,
        "the same request through /v1, answered 40,000 times before",
        "it costs a few looks",
        ["test/http-gateway/routes/v1.test.ts", "costs a few looks, however often it was answered before"],
      ],
      [
        152,
        "uploads beside many stored files",
        "each stored file is measured once",
        ["test/store/attachments/attachments.test.ts", "an upload asks for the sizes of the stored files once"],
      ],
      [
        153,
        "an archive of more than 200,000 records while hooks wait for events",
        "only records that came since are looked at",
        ["test/worker-pool/look-at-archive.test.ts", "only those that came since are looked at"],
      ],
    ],
  },
  {
    title: "One thread",
    attacks: [
      [
        154,
        "an MCP server whose output schema has a pattern that never ends, refers to itself, or is none",
        "the schema is not applied, and the answer is given as it is",
        ["test/agent/mcp/connection.test.ts", "the output schema of a server is not applied"],
      ],
      [
        155,
        "words of a model that a pattern of an own command's input schema never ends on",
        "the call is refused within 250 ms",
        ["test/agent/mcp/own-commands.test.ts", "a check that does not end is a refusal"],
      ],
      [
        156,
        "the title of a hook with forty stars, and a title that almost fits",
        "compared in one pass",
        ["test/worker-pool/hook-wants.test.ts", "however many stars a title has"],
      ],
      [
        157,
        "an MCP server that never answers when it is started, or never lists its tools",
        "turns and Workers begin without it, and have its tools when they are there",
        ["test/e2e/mcp.test.ts", "holds up no turn and no Worker"],
      ],
      [
        158,
        "a task in whose code the pool hangs each time",
        "given up after three kills, its neighbour finishes",
        ["test/e2e/watchdog.test.ts", "a task in whose code the pool hangs"],
      ],
      [
        159,
        "a message in whose turn the pool hangs each time",
        "a reply that says so, and the next message is answered",
        ["test/e2e/watchdog.test.ts", "a turn in whose code the pool hangs"],
      ],
      [
        160,
        "small documents whose text takes half a minute and more",
        "a turn waits ten seconds for them once, and they are not tried again for a day",
        ["test/e2e/documents.test.ts", "slow documents hold up no turn for long"],
      ],
      [
        161,
        "a model that orders work again at each report",
        "the owner is asked before the row goes on",
        ["test/e2e/own-orders.test.ts", "a model that delegates at each report"],
      ],
    ],
  },
];

export const ATTACKS: readonly Attack[] = GROUPS.flatMap(({ attacks }) =>
  attacks.map(([number, attack, must, ...shown]) => ({ number, attack, must, shown })),
);

/** Is this test meant by the attack? @param name of a test, without what it is described in. */
export function shows([, title]: Shown, number: number, name: string): boolean {
  if (title === undefined) return name.startsWith(`${number} `);
  const [first = "", ...rest] = title.split("%s");
  return name.includes(first) && rest.every((part) => name.includes(part));
}

/** Where the system is that a test attacks, by its folder. */
function whole(file: string): string {
  if (/^test\/(attacks|e2e|pm2|agents|browser)\//.test(file)) return "all processes";
  return file.startsWith("test/http-gateway/") ? "the gateway" : "the part";
}

/** The attacks as tables in Markdown, a group each. @param outcome what came of one; nothing is said of it where it is missing. */
export function attackTables(outcome?: (attack: Attack) => string): string {
  return GROUPS.map(({ title, attacks }) => {
    const rows = attacks.map(([number, attack, must, ...shown]) => {
      const last = outcome?.({ number, attack, must, shown }) ?? shown.map(describeShown).join("<br>");
      const against = [...new Set(shown.map(([file]) => whole(file)))].join(", ");
      return `| ${number} | ${attack} | ${must} | ${against} | ${last} |`;
    });
    const head = `| | attack | expected outcome | scope | ${outcome === undefined ? "shown by" : "result"} |\n|---|---|---|---|---|`;
    return `## ${title}\n\n${head}\n${rows.join("\n")}\n`;
  }).join("\n");
}

/** How many attacks there are of each kind. @param more further columns: a title, and the number for these attacks. */
export function kindTable(
  more: readonly (readonly [title: string, count: (attacks: readonly Attack[]) => number])[] = [],
) {
  const all = GROUPS.map(({ title, attacks }) => ({
    title,
    attacks: ATTACKS.filter(({ number }) => attacks.some(([n]) => n === number)),
  }));
  const row = (title: string, attacks: readonly Attack[]) =>
    `| ${[title, attacks.length, ...more.map(([, count]) => count(attacks))].join(" | ")} |`;
  const head = `| kind | attacks |${more.map(([title]) => ` ${title} |`).join("")}\n|---|---|${"---|".repeat(more.length)}`;
  return `${head}\n${all.map(({ title, attacks }) => row(title, attacks)).join("\n")}\n${row("all", ATTACKS)}\n`;
}

function describeShown([file, title]: Shown): string {
  return title === undefined ? `\`${file}\`` : `\`${file}\`: ${title.replaceAll("%s", "…")}`;
}
