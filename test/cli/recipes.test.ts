/** Recipes: those that come with Mimikit are whole, one from outside is held within bounds, and what is typed is never a command. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { shippedRecipes } from "../../apps/cli/src/recipes/find-recipe.ts";
import { ANSWER_CHARS_MAX, definitionIn, parseRecipe, RECIPE_BYTES_MAX } from "../../apps/cli/src/recipes/recipe.ts";
import { type CliPlace, runCli } from "./run-cli.ts";

const NOW_MS = Date.parse("2026-11-25T12:00:00Z");
const YEAR_MS = 365 * 86_400_000;
/** Answers without a default. */
const ANSWERS: Record<string, Record<string, string>> = { birthday: { who: "Alex", day: "04-17" } };

function stopped(): CliPlace & { dir: string } {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-recipes-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const workDir = join(dir, "work");
  mkdirSync(workDir);
  return { dir, home: join(dir, "home"), workDir };
}

/** The YAML of a small recipe, with these lines in the place of its own. */
function yaml(lines: Record<string, string> = {}): string {
  const all = {
    name: "a-recipe",
    title: "A recipe",
    about: "Says something.",
    words: '"remind me: drink"',
    trigger: "{ every: 2h }",
    ...lines,
  };
  return Object.entries(all)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");
}

const skill = (level?: string, name = "a-recipe") =>
  [
    "|",
    "  ---",
    `  name: ${name}`,
    "  description: Looks at things.",
    ...(level === undefined ? [] : ["  metadata:", `    level: ${level}`]),
    "  ---",
    "  Look at it.",
  ].join("\n");

describe("the recipes that come with Mimikit", () => {
  const shipped = shippedRecipes();

  test("are ten, each in a file of its own name", () => {
    expect(shipped.map(({ recipe }) => `${recipe.name}.yaml`)).toEqual(
      readdirSync(join(import.meta.dirname, "../../prompts/recipes")).sort(),
    );
    expect(shipped).toHaveLength(10);
  });

  test.each(shipped.map(({ recipe }) => [recipe.name, recipe] as const))("%s is due, or waits", (name, recipe) => {
    const definition = definitionIn(recipe, ANSWERS[name] ?? {}, "Europe/Berlin", NOW_MS);
    const maker = { createdAt: new Date(NOW_MS).toISOString(), traceId: "x", depth: 0, target: "teller" } as const;
    const simulation = simulateTriggers([triggerOf("trg-x", definition, maker)], NOW_MS, NOW_MS + YEAR_MS, {
      timeZone: "Europe/Berlin",
      costOf: () => null,
    });
    expect(simulation.firings.length + simulation.conditional.length).toBeGreaterThan(0);
    expect(JSON.stringify(definition)).not.toContain("{{");
  });
});

describe("what is typed", () => {
  const recipe = parseRecipe(
    `${yaml({ words: "run `du -sh {{folder}}` for {{who}}", trigger: '{ cron: "{{time}} {{day}} *" }' })}asks:
  folder: { question: Where?, kind: path, default: . }
  who: { question: Who? }
  time: { question: When?, kind: time, default: "08:05" }
  day: { question: On which day?, kind: day, default: "12-24" }
`,
  );
  const filled = (answers: Record<string, string>) => definitionIn(recipe, answers, "UTC", NOW_MS);

  test("is quoted where it stands in a command, and fills in the fields of a schedule", () => {
    const { order, when } = filled({ folder: "my files; rm x", who: "$(me); `".slice(0, 6) });
    expect(order.prompt).toBe("run `du -sh 'my files; rm x'` for $(me);");
    expect(when).toMatchObject({ schedule: { cron: "5 8 24 12 *", timezone: "UTC" } });
  });

  test.each([
    ["folder", "it's"],
    ["folder", "-rf"],
    ["folder", "~/x"],
    ["folder", "a\nb"],
    ["who", "x` run `y"],
    ["who", "a\u0007b"],
    ["who", "x".repeat(ANSWER_CHARS_MAX + 1)],
    ["time", "8:00"],
    ["time", "24:00"],
    ["day", "24-12"],
    ["day", "02-30"],
  ])("%s is refused where it is %j", (name, value) => {
    expect(() => filled({ who: "Alex", [name]: value })).toThrow();
  });

  test("must be asked for, and is named where it is missing", () => {
    expect(() => filled({})).toThrow('say "who": --set who=…');
    expect(() => filled({ who: "Alex", city: "x" })).toThrow(
      'it does not ask for "city"; it asks for folder, who, time, day',
    );
  });
});

describe("a file is no recipe", () => {
  test.each([
    ["without words", yaml().replace(/^words.*\n/m, ""), /words/],
    ["with a setting in it", `${yaml()}config: { provider: openai }\n`, /config/],
    ["with a key in it", `${yaml()}apiKey: x\n`, /apiKey/],
    ["with a target of its own", yaml({ trigger: "{ every: 2h, target: worker }" }), /target/],
    ["with two times", yaml({ trigger: "{ every: 2h, cron: '0 9 * * *' }" }), /exactly one|one of/],
    ["with a cron that never comes", yaml({ trigger: "{ cron: '0 9 30 2 *' }" }), /30 2/],
    ["with a placeholder that it does not ask for", yaml({ title: "'{{who}}'" }), /\{\{who\}\} is not among its asks/],
    ["with a question for nothing", `${yaml()}asks: { who: { question: Who? } }\n`, /does not use it/],
    [
      "with free text in a command",
      `${yaml({ words: "run `echo {{who}}`" })}asks: { who: { question: Who? } }\n`,
      /free text/,
    ],
    ["with a command outside of backquotes", yaml({ words: "'run: date'" }), /between single backquotes/],
    [
      "with a skill of another name",
      `${yaml()}skill: ${skill("read-only", "repository-review")}\n`,
      /must be called "a-recipe"/,
    ],
    ["with a skill that is none", `${yaml()}skill: just text\n`, /its skill is none/],
    ["with an alias", `${yaml({ title: "&a x" })}budget: *a\n`, /no YAML/],
    ["that is too long", yaml({ about: `x${"y".repeat(RECIPE_BYTES_MAX)}` }), /65536 bytes/],
    ["that is a list", "- 1\n", /this is no recipe/],
    ["that is empty", "", /this is no recipe/],
  ])("%s", (_what, text, reason) => {
    expect(() => definitionIn(parseRecipe(text), {}, "UTC", NOW_MS)).toThrow(reason);
  });
});

describe("one from outside", () => {
  const write = (at: { dir: string }, text: string) => {
    const path = join(at.dir, "mine.yaml");
    writeFileSync(path, text);
    return path;
  };
  const inboxOf = ({ home }: CliPlace) =>
    existsSync(join(home, "inbox"))
      ? readdirSync(join(home, "inbox")).map((name) =>
          InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))),
        )
      : [];

  test("that only reminds is added with --yes, once, and removed", async () => {
    const at = stopped();
    const path = write(at, yaml());
    const { code, out } = await runCli(at, ["recipe", "add", path, "--yes"]);
    expect([code, out]).toEqual([0, expect.stringContaining("remind me: drink")]);
    expect(inboxOf(at)).toMatchObject([{ kind: "trigger-put", definition: { order: { target: "teller" } } }]);
    const again = await runCli(at, ["recipe", "add", path, "--yes"]);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("was added already")]);
    expect(JSON.parse((await runCli(at, ["recipe", "list", "--json"])).out)).toMatchObject({
      recipes: expect.arrayContaining([{ name: "a-recipe", about: `A recipe (${path})`, needs: null, isAdded: true }]),
    });
    expect((await runCli(at, ["recipe", "remove", "a-recipe"])).code).toBe(0);
    expect(JSON.parse((await runCli(at, ["triggers", "--json"])).out)).toEqual({ triggers: [] });
    expect((await runCli(at, ["recipe", "remove", "a-recipe"])).error).toContain("was not added");
  });

  test("is added once more under another name, unless it has a skill", async () => {
    const at = stopped();
    for (const [as, who] of [
      ["birthday-alex", "Alex"],
      ["birthday-kim", "Kim"],
    ] as const) {
      const words = ["recipe", "add", "birthday", "--as", as, "--set", `who=${who}`, "--set", "day=04-17", "--yes"];
      expect(await runCli(at, words)).toMatchObject({ code: 0 });
    }
    const { triggers } = JSON.parse((await runCli(at, ["triggers", "--json"])).out) as {
      triggers: { title: string }[];
    };
    expect(triggers.map(({ title }) => title).sort()).toEqual(["Birthday: Alex", "Birthday: Kim"]);
    expect((await runCli(at, ["recipe", "list"])).out).toContain("Birthday: Kim (shipped)");
    for (const [name, as] of [
      ["weekly-review", "mine"],
      ["birthday", "disk-space"],
      ["disk-space", "Not A Name"],
    ] as const)
      expect((await runCli(at, ["recipe", "add", name, "--as", as, "--yes"])).code).toBe(2);
  });

  test("that orders something without a skill is refused", async () => {
    const at = stopped();
    const { code, error } = await runCli(at, ["recipe", "add", write(at, yaml({ words: "run `date`" })), "--yes"]);
    expect([code, error]).toEqual([2, expect.stringContaining("without a skill it may only remind")]);
    expect(inboxOf(at)).toEqual([]);
  });

  test.each([
    ["local-write", [], /wants the level local-write, more than read-only/],
    ["process-control", ["--level", "local-write"], /wants the level process-control, more than local-write/],
    [undefined, ["--level", "ui-control"], /does not say how much it may do/],
  ])("with a skill of the level %s, and %j, is refused", async (level, options, reason) => {
    const at = stopped();
    const path = write(at, `${yaml({ words: "look at it" })}skill: ${skill(level)}\n`);
    const { code, error } = await runCli(at, ["recipe", "add", path, "--yes", ...options]);
    expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
    expect(existsSync(join(at.home, "skills"))).toBe(false);
  });

  test("with a skill makes that and a trigger that is held to its level, and both go", async () => {
    const at = stopped();
    const path = write(at, `${yaml({ words: "look at it" })}skill: ${skill("local-write")}\n`);
    expect(await runCli(at, ["recipe", "add", path, "--yes", "--level", "local-write"])).toMatchObject({ code: 0 });
    const order = { target: "worker", skill: { name: "a-recipe", level: "local-write" } };
    expect(inboxOf(at)).toMatchObject([{ kind: "trigger-put", definition: { order } }]);
    expect((await runCli(at, ["skills", "show", "a-recipe"])).out).toContain("level  local-write");
    expect(await runCli(at, ["recipe", "remove", "a-recipe"])).toMatchObject({ code: 0 });
    expect(existsSync(join(at.home, "skills/a-recipe"))).toBe(false);
  });

  test("keeps away from a skill of the owner's, and leaves one that was edited", async () => {
    const at = stopped();
    const path = write(at, `${yaml({ words: "look at it" })}skill: ${skill("read-only")}\n`);
    mkdirSync(join(at.home, "skills/a-recipe"), { recursive: true });
    writeFileSync(join(at.home, "skills/a-recipe/SKILL.md"), "mine");
    expect((await runCli(at, ["recipe", "add", path, "--yes"])).error).toContain("there is a skill a-recipe already");
    rmSync(join(at.home, "skills/a-recipe"), { recursive: true });
    expect(await runCli(at, ["recipe", "add", path, "--yes"])).toMatchObject({ code: 0 });
    writeFileSync(join(at.home, "skills/a-recipe/SKILL.md"), "mine");
    expect((await runCli(at, ["recipe", "remove", "a-recipe"])).out).toContain(
      "its skill was edited since, so it stays",
    );
    expect(readFileSync(join(at.home, "skills/a-recipe/SKILL.md"), "utf8")).toBe("mine");
  });

  test("neither hides a skill that comes with Mimikit, nor takes the name of a recipe that does", async () => {
    const at = stopped();
    const hiding = yaml({ name: "release-notes", words: "look at it", skill: skill("read-only", "release-notes") });
    const first = await runCli(at, ["recipe", "add", write(at, hiding), "--yes"]);
    expect([first.code, first.error]).toEqual([1, expect.stringContaining("there is a skill release-notes already")]);
    const second = await runCli(at, ["recipe", "add", write(at, yaml({ name: "disk-space" })), "--yes"]);
    expect([second.code, second.error]).toEqual([2, expect.stringContaining("give it another name")]);
    expect(inboxOf(at)).toEqual([]);
  });

  test("is not added where nobody can be asked", async () => {
    const at = stopped();
    const { code, error } = await runCli(at, ["recipe", "add", write(at, yaml())]);
    expect([code, error]).toEqual([2, expect.stringContaining("mimikit recipe add a-recipe --yes")]);
    expect(inboxOf(at)).toEqual([]);
  });

  test.each(["http://localhost/x.yaml", "file:///etc/hosts", "https://me:secret@localhost/x.yaml"])(
    "is not read from %s",
    async (address) => {
      const { code, error } = await runCli(stopped(), ["recipe", "show", address]);
      expect([code, error]).toEqual([2, expect.stringContaining("an address begins with https://")]);
    },
  );
});
