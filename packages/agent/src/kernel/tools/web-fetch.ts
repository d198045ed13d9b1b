/** Loads a page of the web and reads what it is about. As a command that declares the network, it asks where that asks. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { block, oneLine } from "../../prompt/quote.ts";
import { tool } from "../../tools/tool.ts";
import type { WebReach } from "../../web/get-page.ts";
import { PAGE_CHARS_MAX, pageOf } from "./read-text-file.ts";
import type { Workspace } from "./workspace.ts";

const URL_CHARS_MAX = 2_000;

export const webFetchTool = (workspace: Workspace, reach: WebReach) => {
  /** The files with the texts of the pages that this run has loaded, by what was asked for. */
  const loaded = new Map<string, { head: string; path: string }>();
  let pages = 0;
  return tool({
    name: "web_fetch",
    level: "message-send",
    roles: [workspace.task.role],
    input: z
      .strictObject({
        url: z.string().min(1).max(URL_CHARS_MAX),
        fromLine: z.number().int().min(1).default(1).describe("The first line is 1."),
      })
      .describe(
        `Loads a page of the web and reads its text, at most ${PAGE_CHARS_MAX} characters at once; fromLine goes on where it stopped. The owner may be asked first.`,
      ),
    refuse: ({ url }) => (URL.canParse(url) ? null : `${url} is no address`),
    wants: async ({ url, fromLine }) => {
      const { pageUrl } = await import("../../web/get-page.ts");
      // A page that may not be loaded is not asked about.
      const { href } = pageUrl(url, reach);
      return fromLine > 1 && loaded.has(url) ? null : { reaches: ["network"], shown: href };
    },
    run: async ({ url, fromLine }) => {
      const page = (fromLine > 1 && loaded.get(url)) || (await load(url, ++pages, workspace, reach));
      loaded.set(url, page);
      const { head, path } = page;
      const text = pageOf(await readFile(path, "utf8"), fromLine);
      return { text: `[${head}]\n${text === "" ? "[there is nothing to read]" : block(text)}`, artifact: path };
    },
  });
};

/** Throws an error for the model where there is nothing to read. */
async function load(asked: string, number: number, { runDir, signal }: Workspace, reach: WebReach) {
  const { getPage } = await import("../../web/get-page.ts");
  const { readInThread } = await import("../../web/read-in-thread.ts");
  const page = await getPage(asked, reach, signal);
  const { url, status, type, bytes, isCut } = page;
  const read = await readInThread(page, signal);
  if (read === null)
    throw new Error(
      `${url} is ${type || "of no type"}, ${bytes.length} bytes: no text. A command can load it into a file`,
    );
  const path = join(runDir, `web-${number}.txt`);
  await writeFile(path, read.text, { mode: 0o600 });
  const title = read.title === "" ? [] : [JSON.stringify(oneLine(read.title))];
  const cut = isCut ? [`only its first ${bytes.length} bytes were read`] : [];
  return { head: [`status ${status}`, url, ...title, ...cut].join(", "), path };
}
