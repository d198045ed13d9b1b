/** `mimikit channels add` */
import { text as readAll } from "node:stream/consumers";
import { tryJson } from "@mimikit/protocol/base/json";
import { setChannel } from "@mimikit/runtime/config/secrets";
import { z } from "zod";
import { command } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { Failure } from "../../io/failure.ts";
import { openedHome } from "../../io/place.ts";
import { plainLine, printJson, printLine, printProgress } from "../../io/print.ts";
import { livingRoles } from "../../processes/instance.ts";
import { channelArgument, kindNamed, type ListedChannelKind, program, takeUp } from "./channel.ts";

export const addCommand = command({
  usage: "add <channel>",
  summary: "set a channel up; its token is tested first",
  examples: [
    ["mimikit channels add telegram", "asks for the token of your bot, typed unseen"],
    ["mimikit channels add telegram < token.txt", "for scripts"],
  ],
  options: (yargs) =>
    channelArgument(yargs)
      .option("set", {
        type: "string",
        array: true,
        default: [] as string[],
        describe: "a field that is not secret: server=https://…",
      })
      .option("test", { type: "boolean", default: true, describe: "test it first; --no-test saves it untested" }),
  async run({ json, channel, set, test }) {
    const home = openedHome();
    await add(json, home, await kindNamed(channel), set, test);
  },
});

async function add(
  json: boolean,
  home: string,
  kind: ListedChannelKind,
  set: readonly string[],
  isTested: boolean,
): Promise<void> {
  const said = fieldsIn(set, kind);
  const typed = await secretsOf(kind, said);
  const fields = Object.fromEntries(Object.entries({ ...said, ...typed }).filter(([, value]) => value !== ""));
  const missing = kind.fields.find(({ name, isOptional }) => isOptional !== true && fields[name] === undefined);
  if (missing !== undefined)
    throw new Failure("usage", t("{name} is missing: {what}", { name: missing.name, what: missing.what }));
  let about = kind.title;
  if (isTested) {
    const tried: unknown = JSON.parse((await program(["check", kind.name], JSON.stringify(fields))).stdout);
    const answer = z.object({ about: z.string().optional(), problem: z.string().optional() }).parse(tried);
    if (answer.problem !== undefined)
      throw new Failure(
        "failed",
        plainLine(t("{problem}; nothing was saved (--no-test saves it anyway)", { problem: answer.problem })),
      );
    about = answer.about ?? about;
  }
  await setChannel(home, kind.name, fields);
  const runs = await takeUp(home);
  if (json) return printJson({ channel: kind.name, about, running: runs });
  printLine(plainLine(t("{title} is set up: {about}", { title: kind.title, about })));
  const begins =
    livingRoles(home).size === 0 ? t("it starts when Mimikit runs") : t("it starts at the next start of Mimikit");
  printProgress(runs ? kind.hint : `${begins}; ${kind.hint}`);
}

function fieldsIn(set: readonly string[], { fields }: ListedChannelKind): Record<string, string> {
  return Object.fromEntries(
    set.map((each) => {
      const [name = "", ...rest] = each.split("=");
      const field = fields.find((one) => one.name === name);
      if (field === undefined || rest.length === 0)
        throw new Failure(
          "usage",
          t("--set {name}=…: the fields are {fields}", { name, fields: fields.map((one) => one.name).join(", ") }),
        );
      // Others can see the arguments of a command.
      if (field.isSecret === true)
        throw new Failure("usage", t("{name} is a secret: type it when asked, or send it through a pipe", { name }));
      return [name, rest.join("=")];
    }),
  );
}

/** Typed unseen, or through a pipe: the value of the first secret, or all of them as JSON. */
async function secretsOf(
  { title, fields }: ListedChannelKind,
  said: Record<string, string>,
): Promise<Record<string, string>> {
  const open = fields.filter(({ name }) => said[name] === undefined);
  const [first] = open.filter(({ isSecret }) => isSecret === true);
  if (!process.stdin.isTTY) {
    const piped = (await readAll(process.stdin)).trim();
    const object = z.record(z.string(), z.string()).safeParse(tryJson(piped)).data;
    if (object !== undefined) return object;
    return first === undefined ? {} : { [first.name]: piped };
  }
  const prompts = await import("@clack/prompts");
  const typed: Record<string, string> = {};
  for (const { name, what, isSecret, isOptional } of open) {
    const message = `${title}: ${what}${isOptional === true ? t(" (Enter for none)") : ""}`;
    const answer = await (isSecret === true ? prompts.password : prompts.text)({ output: process.stderr, message });
    if (prompts.isCancel(answer)) throw new Failure("failed", t("nothing was changed"));
    typed[name] = (answer ?? "").trim();
  }
  return typed;
}
