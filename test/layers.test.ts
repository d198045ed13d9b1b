/** Imports only point down, and the core is pure (docs/ARCHITECTURE.md#layers). */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Each may import what stands before it. */
const LAYERS = ["protocol", "core", "store", "runtime", "memory", "agent"];

const APPS = readdirSync(join(ROOT, "apps"));

/** `packages/agent` of a path in it. */
const rootOf = (path: string) => path.split("/").slice(0, 2).join("/");

interface Import {
  file: string;
  from: string;
}

function importsOf(dir: string): Import[] {
  const files = readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return files.flatMap((name) => {
    const text = readFileSync(join(ROOT, dir, name), "utf8");
    const statements = text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']/gms);
    const calls = text.matchAll(/\bimport\("([^"]+)"\)/g);
    return [...statements, ...calls].map(([, from = ""]) => ({ file: `${dir}/${name}`, from }));
  });
}

test.each(LAYERS)("packages/%s imports only layers below itself", (name) => {
  const below = LAYERS.slice(0, LAYERS.indexOf(name));
  const imports = importsOf(`packages/${name}/src`);
  expect(imports.length).toBeGreaterThan(0);
  const wrong = imports.filter(({ from }) => {
    const layer = /^@mimikit\/([^/]+)/.exec(from)?.[1];
    return layer !== undefined && layer !== name && !below.includes(layer);
  });
  expect(wrong).toEqual([]);
});

test("no package reaches into another by a relative path, and no app imports another app", () => {
  const sources = [
    ...LAYERS.map((name) => `packages/${name}/src`),
    ...readdirSync(join(ROOT, "apps")).map((name) => `apps/${name}/src`),
  ];
  const wrong = sources.flatMap(importsOf).filter(({ file, from }) => {
    const app = /^@mimikit\/(supervisor|worker-pool|http-gateway|channels|cli|web)\b/.test(from);
    return app || (from.startsWith(".") && rootOf(join(dirname(file), from)) !== rootOf(file));
  });
  expect(wrong).toEqual([]);
});

/** Folders of things of one kind, which an index lists: they may hold as many as there are. */
const LISTS = new Set(["tools", "rules", "routes", "commands", "views"]);
const FOLDER_FILES_MAX = 15;

/** Every source file of the product, by its folder. */
function folders(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const root of [...LAYERS.map((name) => `packages/${name}`), ...APPS.map((name) => `apps/${name}`)])
    for (const entry of readdirSync(join(ROOT, root, "src"), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const folder = relative(ROOT, entry.parentPath);
      all.set(folder, [...(all.get(folder) ?? []), entry.name]);
    }
  return all;
}

test("no folder holds more files than can be read at a glance, but for lists of things of one kind", () => {
  const large = [...folders()].filter(
    ([folder, files]) => files.length > FOLDER_FILES_MAX && !LISTS.has(basename(folder)),
  );
  expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
});

test("no two folders import each other, types included", () => {
  const edges = new Map<string, string>();
  for (const root of [...LAYERS.map((name) => `packages/${name}/src`), ...APPS.map((name) => `apps/${name}/src`)])
    for (const { file, from } of importsOf(root)) {
      const target = from.startsWith(".") ? join(dirname(file), from) : null;
      if (target === null || target.endsWith(".css") || dirname(target) === dirname(file)) continue;
      edges.set(`${dirname(file)} → ${dirname(target)}`, `${file} → ${target}`);
    }
  expect(edges.size).toBeGreaterThan(100);
  const mutual = [...edges].filter(([edge]) => edges.has(edge.split(" → ").reverse().join(" → ")));
  expect(mutual.map(([, example]) => example)).toEqual([]);
});

/** The text of a unit for systemd, which is Linux's alone. */
const OF_SYSTEMD = "apps/cli/src/service/texts.ts";
const PLATFORM = "packages/runtime/src/platform/";

test("only the platform knows which system this is, and how it shows its processes", () => {
  const sources = [...folders()].flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`));
  const knowing = sources.filter(
    (path) =>
      path !== OF_SYSTEMD &&
      /process\.(platform|arch)|\/proc\b|\bos\.platform/.test(readFileSync(join(ROOT, path), "utf8")),
  );
  expect(knowing.filter((path) => path.startsWith(PLATFORM)).length).toBeGreaterThan(3);
  expect(knowing.filter((path) => !path.startsWith(PLATFORM))).toEqual([]);
});

test("nobody but the choice of it names a platform, so that callers know the interface alone", () => {
  const imports = [...LAYERS.map((name) => `packages/${name}/src`), ...APPS.map((name) => `apps/${name}/src`)].flatMap(
    importsOf,
  );
  const wrong = imports.filter(
    ({ file, from }) =>
      /platform\/(linux|portable|ps|claim-files|control-group|bubblewrap)/.test(from) && !file.startsWith(PLATFORM),
  );
  expect(wrong).toEqual([]);
});

test("each package says in ten lines what it is, where it begins, what it may import and what it exports", () => {
  for (const name of LAYERS) {
    const text = readFileSync(join(ROOT, `packages/${name}/README.md`), "utf8");
    const { exports } = JSON.parse(readFileSync(join(ROOT, `packages/${name}/package.json`), "utf8")) as {
      exports: Record<string, string | null>;
    };
    expect(text.trimEnd().split("\n").length, name).toBeLessThanOrEqual(10);
    const below = LAYERS.slice(0, LAYERS.indexOf(name));
    expect(text).toContain(`May import: ${below.length === 0 ? "none of our packages" : below.join(", ")}.`);
    const exported = Object.entries(exports).flatMap(([path, file]) =>
      file === null ? [] : [path.slice("./".length)],
    );
    expect(text).toContain(`Exports: ${exported.map((path) => `\`${path}\``).join(", ")}.`);
  }
});

test("the core and the protocol know no clock, no chance, no disk and no network", () => {
  for (const dir of ["packages/core/src", "packages/protocol/src"]) {
    expect(importsOf(dir).filter(({ from }) => from.startsWith("node:"))).toEqual([]);
    for (const name of readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" }).filter((each) =>
      each.endsWith(".ts"),
    )) {
      // The names of settings stand in strings: `process.heapMb`.
      const code = readFileSync(join(ROOT, dir, name), "utf8").replaceAll(/"[^"\n]*"/g, '""');
      expect(code, name).not.toMatch(/Date\.now\(|new Date\(\)|Math\.random|performance\.|\bfetch\(|process\./);
    }
  }
});
