/** Imports only point down, and the core is pure (docs/ARCHITECTURE.md#layers). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Each may import what stands before it. */
const LAYERS = ["protocol", "core", "store", "runtime", "memory", "agent"];

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
    return [...text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']/gms)].map(([, from = ""]) => ({
      file: `${dir}/${name}`,
      from,
    }));
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
  const wrong = sources.flatMap(importsOf).filter(({ from }) => {
    const app = /^@mimikit\/(supervisor|worker-pool|http-gateway|cli|web)\b/.test(from);
    return app || /\.\.\/.*(packages|apps)\//.test(from) || /^(\.\.\/){3,}/.test(from);
  });
  expect(wrong).toEqual([]);
});

test("the core and the protocol know no clock, no chance, no disk and no network", () => {
  for (const dir of ["packages/core/src", "packages/protocol/src"]) {
    expect(importsOf(dir).filter(({ from }) => from.startsWith("node:"))).toEqual([]);
    for (const name of readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" }).filter((each) =>
      each.endsWith(".ts"),
    )) {
      const text = readFileSync(join(ROOT, dir, name), "utf8");
      expect(text, name).not.toMatch(/Date\.now\(|new Date\(\)|Math\.random|performance\.|\bfetch\(|process\./);
    }
  }
});
