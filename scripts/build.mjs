/**
 * Makes the bundles: one for each program of Mimikit, with all that it needs of the packages, and what is loaded later in files
 * of its own. `node scripts/build.mjs <folder>` writes them there, with their stamp and the licences of what they contain.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { rolldown } from "rolldown";
import { PROGRAMS } from "../packages/runtime/src/home/programs.ts";
import launch from "./launch.cjs";

const { ROOT, stampOf } = launch;
/** What is installed beside the bundles, as it is. */
const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const [, , output] = process.argv;
/** What decides about the bundles beside the modules in them: the packages that are installed, as npm lists them, and how it is done. */
const ALSO = ["node_modules/.package-lock.json", "scripts/build.mjs", "scripts/launch.cjs"];
const PACKAGE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** The programs of pools share their files with the worker pool, of whose code they are: the package is smaller for that. */
const TOGETHER = ["worker-pool", "dispatcher", "remote-pool"];
const GROUPS = [
  ...Object.entries(PROGRAMS).flatMap(([name, input]) => (TOGETHER.includes(name) ? [] : [{ [name]: input }])),
  Object.fromEntries(TOGETHER.map((name) => [name, PROGRAMS[name]])),
];

/** Libraries of vendors, which any program may load with its first question to one: in files that all of them share. */
const LIBRARIES = "packages/agent/src/providers/ai-sdk/library";
const librariesIn = (folder) =>
  Object.fromEntries(readdirSync(join(ROOT, folder)).map((file) => [file.replace(/\.ts$/, ""), join(folder, file)]));
const IMPORTED_LIBRARY = /\/ai-sdk\/library\/(\w+)\.ts$/;

/** Leaves the libraries where they are. @param files their names in the bundles. */
const sharing = (files) => ({
  name: "shared-libraries",
  resolveId(source) {
    const [, library] = IMPORTED_LIBRARY.exec(source) ?? [];
    return library === undefined ? null : { id: `./${files.get(library)}`, external: true };
  },
});

/**
 * @param input the entries that share files. @param name what the names of their other files begin with.
 * @returns the modules that are in the bundle, and the name of the file of each entry.
 */
async function bundle(input, { name = Object.keys(input)[0], entryFileNames = "[name].js", plugins = [] }) {
  const build = await rolldown({
    cwd: ROOT,
    input,
    platform: "node",
    logLevel: "warn",
    external: Object.keys(dependencies),
    plugins,
  });
  const { output: chunks } = await build.write({
    dir: output,
    format: "esm",
    entryFileNames,
    chunkFileNames: `${name}-[name]-[hash].js`,
    minify: "dce-only",
    comments: false,
    // A text of one byte a character takes half of the heap that one with a single other character takes.
    charset: "ascii",
  });
  await build.close();
  const modules = chunks.flatMap(({ modules = {} }) => Object.keys(modules)).filter((id) => id.startsWith(sep));
  return { modules, files: new Map(chunks.flatMap((each) => (each.isEntry ? [[each.name, each.fileName]] : []))) };
}

/** @returns the modules that are in all bundles. */
async function bundleAll() {
  // A process that runs loads its own, whatever is built meanwhile: the names follow from what is in them.
  const libraries = await bundle(librariesIn(LIBRARIES), {
    name: "library",
    entryFileNames: "library-[name]-[hash].js",
  });
  const plugins = [sharing(libraries.files)];
  const programs = await Promise.all(GROUPS.map((input) => bundle(input, { plugins })));
  return [libraries, ...programs].flatMap(({ modules }) => modules);
}

/** Ours, relative to the root. */
const sourcesIn = (modules) =>
  modules.filter((id) => !id.includes(`${sep}node_modules${sep}`)).map((id) => relative(ROOT, id.split("?")[0]));

/** The manifests that say what `@mimikit/…` means. */
const manifests = () =>
  ["apps", "packages"].flatMap((dir) => readdirSync(join(ROOT, dir)).map((name) => `${dir}/${name}/package.json`));

/** The licence texts of the packages whose code is in the bundles. */
function licencesOf(modules) {
  const folders = new Set(modules.map((id) => PACKAGE.exec(id)?.[1]).filter((folder) => folder !== undefined));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return [...new Set(texts)].join(`\n${"-".repeat(80)}\n\n`);
}

/** Sources that are changed again and again, or in the future, end in bundles that the next start builds again. */
const ROUNDS_MAX = 3;

let isSettled = false;
for (let round = 0; round < ROUNDS_MAX && !isSettled; round++) {
  const began = Date.now();
  rmSync(output, { recursive: true, force: true });
  const modules = [...new Set(await bundleAll())].sort();
  const stamp = stampOf([...new Set([...ALSO, ...manifests(), ...sourcesIn(modules)])].sort());
  // What was changed meanwhile is in the bundle or not: once more.
  isSettled = Object.values(stamp.looks).every(([changedMs]) => changedMs < began);
  writeFileSync(join(output, "LICENSES.txt"), licencesOf(modules));
  writeFileSync(join(output, ".stamp.json"), JSON.stringify(stamp));
}
