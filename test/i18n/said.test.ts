/** Each text that a command says to people goes through `t`, so that no reader of Chinese is told a new one in English. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TEXTS } from "../../apps/cli/src/i18n/zh/chinese.ts";
import { type SaidText, textsIn } from "./said-texts.ts";

const CLI = join(import.meta.dirname, "../../apps/cli/src");

/** Texts that stay as they are, by what they are or where they stand. Each says why. */
const EXCEPTIONS: readonly { why: string; of?: RegExp; in?: RegExp }[] = [
  {
    why: "a command or an option is typed as it is",
    of: /^(?:[A-Z0-9_]+=\S+ |echo status \| |codex mcp add |sudo )?(?:mimikit|npm|git|pm2|\{\}) /,
  },
  { why: "an option is typed as it is", of: /^ ?--[a-z]/ },
  { why: "a command of the offline engine", of: /^run `/ },
  {
    why: "the name of the program, of its processes, of PM2's folder or of git's HEAD",
    of: /^(?:Mimikit|mimikit(?:-|: )\{\}\n?|~\/\.pm2|HEAD)$/,
  },
  {
    why: "a mistake of the program alone, for its authors",
    of: /^(?:\{\} is no position|there is nothing to choose from)$/,
  },
  { why: "a protocol for programs, in English in every locale", in: /^mcp-server\// },
  { why: "invented people of the demo speak, and their files", in: /^demo\/household\.ts$/ },
  { why: "orders and a trigger of a trial, which are data", in: /^chaos\/load\.ts$/, of: /^fires while/ },
  { why: "a delivery that tests a hook is data", in: /^commands\/hooks\.ts$/, of: /^(?:a sample event|Sent by )/ },
  { why: "the source stands in the entry of the memory itself", in: /^import\//, of: /^ \(from \w+/ },
  { why: "scripts that a shell reads", in: /^commands\/completion\.ts$/ },
  {
    why: "the file of another program, or a command line for it",
    of: /mcpServers|sudo npm install|^(?:size|node-|branch\.)/,
  },
  { why: "a part of a command that is named in a hint", of: /^(?:memory|questions) (?:add|forget|answer)/ },
  { why: "a path", of: /^(?:POST \/hooks\/|\{\}\.state|\/api\/)/ },
  { why: "a word that is kept or compared, and never said", of: /^(?:taken back|waiting restart)$/ },
  { why: "units of systemd, launchd and cron, which these programs read", in: /^service\/(?:texts|definition)\.ts$/ },
];

const hasWord = (text: string) => /\p{L}{2}/u.test(text.replaceAll("{}", ""));
const hasWords = (text: string) => /\p{L}{2}\S*\s+(?:\S*\s+)*?\S*\p{L}{2}/u.test(text.replaceAll("{}", " "));

/** A text that no reader of Chinese would understand: printed as it is, or a sentence that has no Chinese. */
function isUntold({ text, how }: SaidText): boolean {
  if (how === "t") return TEXTS[text] === undefined && text !== "";
  return how === "direct" ? hasWord(text) : hasWords(text) && TEXTS[text] === undefined;
}

const isException = (path: string, { text }: SaidText) =>
  EXCEPTIONS.some((each) => (each.of?.test(text) ?? true) && (each.in?.test(path) ?? true));

const files = globSync("**/*.ts", { cwd: CLI, exclude: ["i18n/**"] }).map((path) => ({
  path,
  texts: textsIn(readFileSync(join(CLI, path), "utf8")),
}));

test("no command says a text that has no Chinese", () => {
  expect(files.flatMap(({ texts }) => texts).length).toBeGreaterThan(1_000);
  const untold = files.flatMap(({ path, texts }) =>
    texts
      .filter((each) => isUntold(each) && !isException(path, each))
      .map(({ text, line }) => `${path}:${line}: ${text}`),
  );
  expect(untold).toEqual([]);
});

test("each exception is of some text that is there", () => {
  const stale = EXCEPTIONS.filter(
    (each) =>
      !files.some(({ path, texts }) =>
        texts.some((text) => isUntold(text) && (each.of?.test(text.text) ?? true) && (each.in?.test(path) ?? true)),
      ),
  );
  expect(stale.map(({ why }) => why)).toEqual([]);
});

test.each([
  'printLine("Something new happened");',
  'process.stdout.write("Something new happened");',
  `out.write(\`Something new happened to \${name}\n\`);`,
  'printLine("done");',
  'printProgress(isThere ? t("ready") : "gone now");',
  'printLine(plainLine("Something new happened"));',
  'printTable(["name"], rows.map(({ isThere }) => [isThere ? "present" : "–"]), "");',
  'printTable(["unheard of title"], [], "");',
  'throw new Failure("failed", "it went wrong");',
  `throw new Error(\`\${path} went wrong\`);`,
  'const WORDS = { all: "everything went well" };',
  'yargs.option("often", { describe: "how often it is done anew" });',
  'command({ usage: "news", summary: "tell what is new here", examples: [] });',
  't("a text that no table has");',
  't("{count} tokens", { count: "more than ever before" });',
  `say(t("state"), \`process \${pid}\`);`,
])("a new text is found: %s", (source) => {
  expect(textsIn(source).filter(isUntold)).not.toEqual([]);
});

test.each([
  'printLine(t("ready"));',
  `printLine(\`\${styled("red", "✗")} \${place}:\${line}\`);`,
  'if (state === "not running") printLine(t("not running"));',
  'printLine(names.join(", "));',
  'import { x } from "a module of ours";',
  'type Fault = "kill one of them";',
  'throw new Failure("failed", t("{path} cannot be read: {reason}", { path, reason }));',
])("what needs no Chinese is left alone: %s", (source) => {
  expect(textsIn(source).filter(isUntold)).toEqual([]);
});
