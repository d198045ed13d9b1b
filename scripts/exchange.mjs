/**
 * Exchanges the files of an installed package for those of another version, and puts them back, by renames alone: all folders are
 * on one disk. Plain JavaScript without packages, as they may be the very thing that is missing. What is called here is called by
 * scripts/take-back.mjs of another version where a kill has mixed the two.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";

/** What starts a command and puts in order what was cut off: replaced in one step each, and never missing. */
export const STAYS = [
  "apps/cli/bin/mimikit.mjs",
  "scripts/launch.cjs",
  "scripts/take-back.mjs",
  "scripts/exchange.mjs",
];
/** Of the update, and of no version. */
const JOURNAL = /^\.mimikit-update\.json/;

/** The files and folders below `root` that are exchanged whole: the largest that hold nothing of what stays. */
export function partsOf(root, folder = "") {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (STAYS.includes(path) || JOURNAL.test(path)) return [];
    return STAYS.some((file) => file.startsWith(`${path}/`)) ? partsOf(root, path) : [path];
  });
}

/** Moves what is in `root` to `old`, which is empty, and what is in `fresh` to `root`. Killed in the midst of it, call `putBack`. */
export function putInPlace(root, fresh, old) {
  for (const path of STAYS) keep(root, old, path);
  for (const path of partsOf(root)) move(root, old, path);
  for (const path of partsOf(fresh)) move(fresh, root, path);
  for (const path of STAYS) if (existsSync(join(fresh, path))) move(fresh, root, path);
}

/**
 * Makes `root` what it was before `putInPlace`, however far that came. Killed in the midst of it, it is called again.
 * @param had the parts of `root` before. @param discarded where those of the other version go.
 */
export function putBack(root, old, had, discarded) {
  for (const path of partsOf(root)) if (!had.includes(path) || existsSync(join(old, path))) move(root, discarded, path);
  for (const path of partsOf(old)) move(old, root, path);
  for (const path of STAYS) if (existsSync(join(old, path))) move(old, root, path);
}

function move(from, to, path) {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  renameSync(join(from, path), join(to, path));
}

/** Under a second name, so that there is no instant without the first. */
function keep(from, to, path) {
  if (!existsSync(join(from, path))) return;
  mkdirSync(dirname(join(to, path)), { recursive: true });
  linkSync(join(from, path), join(to, path));
}
