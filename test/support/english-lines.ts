/** Output of commands in Chinese: which lines of it were left in English? */
import { PROVIDER_TITLES } from "@mimikit/protocol/base/provider";
import { Role } from "@mimikit/protocol/base/role";
import { Level } from "@mimikit/protocol/base/skill";
import { Actor } from "@mimikit/protocol/records/audit";

export const HAN = /\p{Script=Han}/u;
/** Words that are the same in every language: names of ours and of others. */
const NAMES = new Set(
  [
    ...[...Role.options, ...Actor.options, ...Level.options],
    ...Object.entries(PROVIDER_TITLES).flatMap(([id, title]) => [id, ...title.split(" ")]),
    ..."Mimikit Node PM2 UTC USD HTTP MB ms cron PID SHA OpenAI true false".split(" "),
  ].map((name) => name.toLowerCase()),
);
/** Commands in backquotes, JSON, ids, paths, addresses, names of settings and files, options, variables, and what has a number in it. */
const TYPED =
  /`[^`]*`|\{".*\}|(?<=→ )(?:npm|mimikit) .*|\S*[/\\\d_=.@]\S*|(?<!\w)--?[a-z][\w-]*|\b[A-Z][A-Z_]+\b|\b[a-z]+[A-Z]\w*\b/g;

/** The lines in which words of English stand alone. @param own names that the test has given. */
export function englishIn({ out, error }: { out: string; error: string }, ...own: string[]): string[] {
  return `${out}\n${error}`.split("\n").filter((line) => {
    if (HAN.test(line)) return false;
    const words = line.replaceAll(TYPED, " ").match(/[A-Za-z][A-Za-z'’-]+/g) ?? [];
    return words.some((word) => !NAMES.has(word.toLowerCase()) && !own.includes(word));
  });
}
