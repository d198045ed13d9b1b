/** Texts and documents that the user sends, through the real processes: the Teller is shown what they say, in the sandbox and out of it. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { bomb, docx, epub, pdf, pptx, slowDocx, xlsx } from "../support/documents.ts";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { type ModelRequest, ModelServer } from "../support/model-server.ts";
import { cjk, LATIN, pdfOf } from "../support/pdf.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

interface Options {
  env?: Record<string, string>;
}

async function start(script: Parameters<typeof ModelServer.start>[0], { env, ...options }: Options = {}) {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    ...options,
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
      ...env,
    },
  });
  opened.unshift(mimikit);
  await mimikit.ready();
  const ask = async (words: string, ...files: [name: string, content: Buffer | string][]) => {
    const attach = files.flatMap(([name, content]) => {
      const path = join(mimikit.workDir, name);
      writeFileSync(path, content);
      return ["--attach", path];
    });
    const { code, out } = await runCli(mimikit, ["ask", "--json", ...attach, words]);
    expect(code).toBe(0);
    return JSON.parse(out) as { answer: string };
  };
  return { model, mimikit, ask };
}

/** The Teller's last view of the files. */
function shown(model: ModelServer): { documents: string; attachments: string } {
  const request = model.of("teller").at(-1) as ModelRequest;
  return { documents: section("documents", request), attachments: section("attachments", request) };
}

test.each<[where: string, options: Options]>([
  ["in the sandbox", {}],
  ["where there is no sandbox", { env: { MIMIKIT_SANDBOX: "off" } }],
])("the Teller reads texts and documents of every kind, %s", async (_where, options) => {
  const { model, mimikit, ask } = await start({ teller: () => ({ say: "I have read it." }) }, options);
  await ask(
    "what do they say?",
    ["n.txt", "the password is swordfish\n"],
    ["memo.docx", docx(["Dear Ann,", "it costs 4 &amp; more."], ["left", "right"], "see page 2")],
    ["costs.xlsx", xlsx()],
    ["talk.pptx", pptx()],
    ["book.epub", epub()],
    ["report.pdf", Buffer.from(pdfOf([LATIN, cjk("GBK-EUC-H", "GB1", "c4e3bac3bacfcdac")]))],
    ["表.csv", Buffer.from("\xc4\xe3\xba\xc3,1\r\n", "latin1")],
    ["excel.csv", Buffer.from("\ufeffStraße,2\r\n", "utf16le")],
    ["run.log", "\u001b[31mfailed\u001b[0m: 3\n"],
    [
      "page.html",
      "<html><head><style>p{}</style></head><body><h1>Open</h1><script>x()</script><p>from 9&nbsp;to 5</p></body></html>",
    ],
  );
  const { documents, attachments } = shown(model);
  for (const words of ["the password is swordfish", "Dear Ann,", "it costs 4 & more.", "left\tright", "see page 2"])
    expect(documents).toContain(words);
  expect(documents).not.toContain("deleted words");
  expect(documents).toMatch(
    /Sheet: Costs\n\s+rent\t\t1250\.5\t2026-11-22\n\s+in line\tTRUE\t2501\n\s*\n\s+Sheet: 二\n\s+末行/,
  );
  expect(documents).not.toContain("read aloud");
  expect(documents).toMatch(/Slide 2\n\s+point 2\n[\s\S]*Slide 10\n\s+point 10\n\s+Notes: say thanks/);
  expect(documents).toMatch(/It was a dark night\.\n\s*\n\s+Then it dawned\./);
  expect(documents).toMatch(/Page 1\n\s+Hello\n\s*\n\s+Page 2\n\s+你好合同/);
  expect(documents).toMatch(/Open\n\s*\n\s+from 9 to 5/);
  expect(documents).not.toContain("x()");
  for (const words of ["你好,1", "Straße,2", "    failed: 3\n"]) expect(documents).toContain(words);
  expect(attachments).toMatch(/name: "表.csv".*shown: "its text, read as gb18030, a guess"/);
  expect(attachments).toMatch(/name: excel.csv.*shown: "its text, read as utf-16le"/);
  expect(attachments.match(/shown: "its text"/g)).toHaveLength(8);
  // The text is kept beside the document, and made again where somebody has removed it.
  const texts = () => readdirSync(join(mimikit.home, "attachments")).filter((name) => name.endsWith(".txt"));
  expect(texts()).toHaveLength(6);
  for (const name of texts()) rmSync(join(mimikit.home, "attachments", name));
  await ask("and once more?");
  expect(shown(model).documents).toBe(documents);
  expect(texts()).toHaveLength(6);
});

test("a document whose text cannot be read says why, and the user is answered", async () => {
  const { model, ask } = await start({ teller: () => ({ say: "I cannot read that." }) });
  const torn = docx(["words"]);
  const { answer } = await ask(
    "what do they say?",
    ["scan.pdf", pdf("", "")],
    ["torn.docx", torn.subarray(0, torn.length - 40)],
    ["torn.pdf", "%PDF-1.4\nnothing"],
    ["bomb.docx", bomb()],
  );
  expect(answer).toBe("I cannot read that.");
  const { documents, attachments } = shown(model);
  expect(documents).toBe("");
  const lines = attachments
    .split("\n")
    .map((line) => [/name: (\S+?),/.exec(line)?.[1], /unreadable: "([^"]*)"/.exec(line)?.[1]]);
  expect(Object.fromEntries(lines)).toEqual({
    "scan.pdf": "it has no text: its pages are pictures",
    "torn.docx": "the archive is damaged",
    "torn.pdf": "the PDF is damaged",
    "bomb.docx": "it is too large when it is unpacked",
  });
});

/**
 * Stops the processes of this instance that read documents of a kind, all but the first: those that are stopped are as slow, and
 * take no processor. @returns what ends it.
 */
function holdReaders(mimikit: Instance, kind: string): () => void {
  const held = new Set<number>();
  const pool = mimikit.pidOf("workers");
  const timer = setInterval(() => {
    for (const pid of descendantsOf(pool)) {
      const words = textAt(`/proc/${pid}/cmdline`);
      // Not its sandbox, whose last words are the same.
      const isReader = words.startsWith(`${process.execPath}\0`) && words.endsWith(`extract-text.js\0${kind}\0`);
      if (!isReader || held.has(pid)) continue;
      held.add(pid);
      if (held.size > 1) process.kill(pid, "SIGSTOP");
    }
  }, 200);
  return () => clearInterval(timer);
}

/** A process that is just gone has none. Only Linux tells. */
function descendantsOf(pid: number): number[] {
  const tasks = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = tasks.flatMap((task) => textAt(`/proc/${pid}/task/${task}/children`).match(/\d+/g) ?? []);
  return children.flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return "";
    throw error;
  }
}

test("slow documents hold up no turn for long, are tried once, and the reason is known to the next turns for a day", async () => {
  const { model, mimikit, ask } = await start({ teller: () => ({ say: "Read or not." }) });
  const slow = [1, 2, 3].map((n): [string, Buffer] => [`slow-${n}.docx`, slowDocx(`number ${n}`)]);
  onTestFinished(holdReaders(mimikit, "docx"));
  await ask("what do they say?", ["quick.pdf", pdf("Revenue rose.")], ...slow);
  expect(shown(model).documents).toContain("Revenue rose.");
  expect(shown(model).attachments.match(/unreadable: "its text is still being read/g)).toHaveLength(3);
  const reasons = () => {
    const dir = join(mimikit.home, "attachments");
    return readdirSync(dir).flatMap((name) =>
      name.endsWith(".unread.txt")
        ? [[name, readFileSync(join(dir, name), "utf8"), statSync(join(dir, name)).ino]]
        : [],
    );
  };
  // Two are read at once, the third after them.
  await mimikit.until("two reasons", () => reasons().length >= 2 || undefined);
  await mimikit.until("three reasons", () => reasons().length === 3 || undefined);
  const before = reasons();
  await ask("and now?");
  expect(shown(model).attachments.match(/unreadable: "its text could not be read within 30 s"/g)).toHaveLength(3);
  await ask("and now?");
  expect(reasons()).toEqual(before);
});

test("a long text is shown with its beginning and its end, beside short ones that stay whole", async () => {
  const { model, ask } = await start({ teller: () => ({ say: "Read." }) });
  const long = `first line\n${"middle ".repeat(40_000)}\nlast line\n`;
  await ask("compare them", ["long.log", long], ["short.txt", "short and whole\n"]);
  const { documents } = shown(model);
  expect(documents).toContain("first line");
  expect(documents).toContain("last line");
  expect(documents).toContain("short and whole");
  expect(documents.length).toBeLessThan(60_000);
});

test("any other file is taken as it is, and a Worker finds it, and the text of a document beside it", async () => {
  const program = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0xff]);
  const { model, mimikit, ask } = await start({
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: /found: .*/.exec(results)?.[0] ?? results };
      return request.turn === 0 ? call("delegate", { prompt: "look at the files" }) : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "look at the files" }) : { say: "" }),
    worker: (request) => {
      const attachments = section("attachments", request);
      const path = (name: string) => new RegExp(`${name}: "?([^\\s",]+)`, "g");
      const [tool = ""] = [...attachments.matchAll(path("path"))].map(([, each]) => each);
      const text = path("text_path").exec(attachments)?.[1];
      const [said] = request.results;
      return said === undefined
        ? call("bash", {
            command: `echo "found: $(wc -c < '${tool}') $(grep -c Ann '${text}') ${tool.split(".").at(-1)}"`,
          })
        : { say: /found: .*/.exec(said)?.[0] ?? said };
    },
  });
  const { answer } = await ask("what is in them?", ["tool.elf", program], ["memo.docx", docx(["Dear Ann,"])]);
  expect(answer).toBe("found: 9 1 elf");
  expect(shown(model)).toMatchObject({ documents: "" });
  const stored = readdirSync(join(mimikit.home, "attachments")).filter((name) => name.endsWith(".json"));
  const types = stored.map((name) => JSON.parse(readFileSync(join(mimikit.home, "attachments", name), "utf8")).type);
  expect(types).toContain("application/octet-stream");
});
