/** `npm run test:attacks`: runs every test of the list of attacks, and the whole fuzz, and prints what came of each. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { ATTACKS, type Attack, attackTables, kindTable, shows } from "./list.ts";

const HELP = `npm run test:attacks [-- options]: every attack of docs/attacks.md, and the fuzz

  --fuzz N      random requests (100000); a twentieth as many have damaged bytes
  --frames N    random frames (20000)
  --seed N      of the fuzz (one that no run had before); it is printed, and makes the same requests again
  --attack N    this attack alone; may be given several times
  --help

examples
  npm run test:attacks
  npm run test:attacks -- --attack 17 --attack 46
  npm run test:attacks -- --attack 100 --fuzz 5000 --seed 42
`;

const ROOT = join(import.meta.dirname, "../..");
/** Those that may hold a test of the list. Their agent CLIs and browsers must be there, or the tests that need them say so. */
const PROJECTS = ["unit", "cli", "attacks", "e2e", "pm2", "agents", "browser", "improve"];

const { values } = parseArgs({
  options: {
    fuzz: { type: "string", default: "100000" },
    frames: { type: "string", default: "20000" },
    seed: { type: "string" },
    attack: { type: "string", multiple: true },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
for (const name of ["fuzz", "frames", "seed"] as const)
  if (!/^\d+$/.test(values[name] ?? "0")) end(`--${name} is a whole number, and not ${values[name]}`);
const some = ATTACKS.filter(({ number }) => values.attack?.includes(String(number)) ?? true);
if (some.length === 0)
  end(`there is no attack ${values.attack?.join(", ")}: they are numbered from 1 to ${ATTACKS.length}`);

function end(mistake: string): never {
  process.stderr.write(`${mistake}\n`);
  process.exit(2);
}

interface Test {
  file: string;
  name: string;
  status: string;
  /** The attack had the rights of an ordinary user, not of root. Some tests try both. */
  isAsUser: boolean;
}

/** Runs the tests of these attacks. @returns what came of each, and of others of their files that look alike. */
async function run(attacks: readonly Attack[]): Promise<Test[]> {
  const shown = attacks.flatMap(({ number, shown }) =>
    shown.map(([file, title]) => ({ file, pattern: title === undefined ? `(^| )${number} ` : patternOf(title) })),
  );
  const files = [...new Set(shown.map(({ file }) => file))];
  const patterns = [...new Set(shown.map(({ pattern }) => pattern))].join("|");
  const directory = mkdtempSync(join(tmpdir(), "mimikit-attacks-"));
  const report = join(directory, "report.json");
  const options = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`, "-t", patterns];
  const projects = PROJECTS.flatMap((name) => ["--project", name]);
  const child = spawn("npx", ["vitest", "run", ...projects, ...options, ...files], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      ATTACKS_REQUESTS: values.fuzz,
      ATTACKS_FRAMES: values.frames,
      ...(values.seed !== undefined && { ATTACKS_SEED: values.seed }),
    },
  });
  await new Promise((resolve) => child.once("close", resolve));
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { name: string; assertionResults: { title: string; fullName: string; status: string }[] }[];
    };
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ title, fullName, status }) => ({
        file: relative(ROOT, name),
        name: title,
        status,
        isAsUser: process.getuid?.() !== 0 || fullName.includes("as a user"),
      })),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function patternOf(title: string): string {
  return title
    .split("%s")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
}

const tests = await run(some);

/** The tests of an attack that ran, for one of its places in the list. */
function meantBy(number: number, shown: Attack["shown"][number]): Test[] {
  return tests.filter(
    ({ file, name, status }) => file === shown[0] && shows(shown, number, name) && status !== "skipped",
  );
}

const isSome = ({ number }: Attack) => some.some((each) => each.number === number);

/** How many of these attacks were tried with the rights of root, or of another user. */
const triedAs = (isUser: boolean) => (attacks: readonly Attack[]) =>
  attacks
    .filter(isSome)
    .filter(({ number, shown }) =>
      shown.some((each) => meantBy(number, each).some(({ isAsUser }) => isAsUser === isUser)),
    ).length;
const heldOf = (attacks: readonly Attack[]) =>
  attacks.filter(isSome).filter((attack) => outcomeOf(attack).isHeld).length;

/** The outcome of an attack: each of its tests that did not pass is named. */
function outcomeOf({ number, shown }: Attack): { isHeld: boolean; text: string } {
  const meant = shown.map((each) => meantBy(number, each));
  const all = meant.flat();
  const failed = all.filter(({ status }) => status !== "passed").map(({ name }) => name);
  if (failed.length > 0) return { isHeld: false, text: `**failed**: ${failed.join("; ")}` };
  const missing = shown.filter((_, i) => meant[i]?.length === 0).map(([file]) => file);
  if (missing.length > 0) return { isHeld: false, text: `not tried: ${missing.join(", ")}` };
  return { isHeld: true, text: `held (${all.length} ${all.length === 1 ? "test" : "tests"})` };
}

process.stdout.write(`\n${attackTables((attack) => (isSome(attack) ? outcomeOf(attack).text : "–"))}\n`);
const columns = [
  ["held", heldOf],
  ["as root", triedAs(false)],
  ["as a user", triedAs(true)],
] as const;
process.stdout.write(`${kindTable(columns)}\n`);
const held = heldOf(some);
process.stdout.write(`${held} passed, ${some.length - held} failed\n`);
process.exitCode = held === some.length ? 0 : 1;
