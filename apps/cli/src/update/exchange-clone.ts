/** How a new version comes into the place of a clone: a worktree beside it, whose packages it takes, and a fast-forward. */
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { ROOT } from "@mimikit/runtime/home/programs";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";
import { assertClean, run as git, type News } from "./clone.ts";
import { runNode } from "./run.ts";
import type { Way } from "./switch.ts";

/** Packages are installed, and the page is built. */
const BUILD_MS_MAX = 20 * 60_000;

const CLONE = resolve(ROOT);
const MODULES = join(CLONE, "node_modules");
const PAGE = "apps/web/dist";

export const wayOfClone = ({ from, to }: News): Way => ({
  before: { from },
  assertMayExchange: assertClean,
  async make(beside) {
    if (statSync(beside).dev !== statSync(MODULES).dev)
      throw new Failure("failed", t("{modules} is on another disk than {clone}", { modules: MODULES, clone: CLONE }));
    await git("worktree", "prune");
    const tree = join(beside, "tree");
    printProgress(t("building the new version beside this one"));
    await git("worktree", "add", "--quiet", "--detach", tree, to);
    if (lockOf(CLONE) === lockOf(tree)) takePackagesAlong(join(tree, "node_modules"));
    // The page is built again only where its sources have changed.
    if (existsSync(join(CLONE, PAGE))) cpSync(join(CLONE, PAGE), join(tree, PAGE), { recursive: true });
    await runNode([join(tree, "scripts/bootstrap.mjs")], BUILD_MS_MAX);
    return tree;
  },
  async putInPlace(beside) {
    renameSync(MODULES, join(beside, "node_modules.old"));
    renameSync(join(beside, "tree/node_modules"), MODULES);
    await git("merge", "--quiet", "--ff-only", to);
    await runNode([join(CLONE, "scripts/bootstrap.mjs")], BUILD_MS_MAX);
  },
  async putBack(beside) {
    const old = join(beside, "node_modules.old");
    if (existsSync(old)) {
      if (existsSync(MODULES)) renameSync(MODULES, join(beside, "node_modules.new"));
      renameSync(old, MODULES);
    }
    await git("reset", "--quiet", "--hard", from);
    await runNode([join(CLONE, "scripts/bootstrap.mjs")], BUILD_MS_MAX);
  },
  tidyUp: async () => void (await git("worktree", "prune")),
});

/**
 * The same packages need no network, and no second half of a gigabyte: their files get a second name, and npm never
 * writes into one that is there. Names that begin with a dot are ours or npm's own, and are copied; code that Node has
 * compiled is of the other version.
 */
function takePackagesAlong(target: string): void {
  mkdirSync(target);
  for (const name of readdirSync(MODULES)) {
    const [from, to] = [join(MODULES, name), join(target, name)];
    if (name === ".cache") continue;
    if (name.startsWith(".")) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else linkTree(from, to);
  }
}

function linkTree(from: string, to: string): void {
  const info = lstatSync(from);
  if (info.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (!info.isDirectory()) linkSync(from, to);
  else {
    mkdirSync(to);
    for (const name of readdirSync(from)) linkTree(join(from, name), join(to, name));
  }
}

const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");
