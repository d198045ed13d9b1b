/** A package that was built or downloaded, and how it replaces the one that npm has installed. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { commandName, shellWord } from "@mimikit/runtime/home/command-name";
import { fileOfPackage, ROOT } from "@mimikit/runtime/home/programs";
import { VERSION } from "@mimikit/runtime/home/version";
import { TARGET } from "@mimikit/runtime/platform/this-platform";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";
import { runNpm } from "./run.ts";
import type { Way } from "./switch.ts";

const NAME = "mimikit";
/** The folder that npm has made of the package, and the `node_modules` that it is in. */
const INSTALLED = resolve(ROOT);
const MODULES = dirname(INSTALLED);
/** The most that a new version needs beside this one with a copy of the state, in MB; and the Node that may come along. */
const ROOM_MB = 100;
const ROOM_OF_NODE_MB = 220;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A package has no sources (decision 0017). */
export const isPackage = () => !existsSync(join(ROOT, "scripts/build.mjs"));

export interface PackageNews {
  /** The path or the address of the new package. */
  source: string;
  version: string;
  newVersion: string;
  /** Whether the new version is newer. */
  isNew: boolean;
}

/** Looks into a package: a file, the folder of one that is unpacked, or an address. @throws Failure where it is none of ours. */
export async function lookInto(from: string | undefined): Promise<PackageNews> {
  if (from === undefined)
    throw new Failure(
      "usage",
      t(
        "Mimikit is not published: get mimikit-<version>.tgz (npm pack makes it in a clone), then run  {mimikit} update --from <file, folder or address>",
        { mimikit: commandName(process.env) },
      ),
    );
  const source = sourceOf(from);
  const { version: newVersion } = await packed(source, "--dry-run");
  return { source, version: VERSION, newVersion, isNew: compareVersions(newVersion, VERSION) > 0 };
}

/** npm would take a word for a package of its registry, which is not ours. */
function sourceOf(from: string): string {
  if (URL.canParse(from) && /^https?:/.test(from)) {
    const { protocol, hostname } = new URL(from);
    if (protocol === "https:" || LOOPBACK.test(hostname)) return from;
    throw new Failure(
      "usage",
      t("a file from {from} could be changed on its way: use https, or download and check it", { from }),
    );
  }
  const path = resolve(from);
  if (!existsSync(path)) throw new Failure("usage", t("there is no file and no folder {path}", { path }));
  if (statSync(path).isDirectory() && existsSync(join(path, "scripts/build.mjs")))
    throw new Failure("usage", t("{path} is a clone: run  npm pack  there, and name the file that it makes", { path }));
  return path;
}

const Packed = z.tuple([z.object({ name: z.string(), version: z.string(), filename: z.string() })]);

/** @throws Failure where it is not a package of Mimikit. */
async function packed(source: string, ...where: string[]) {
  const said = await runNpm(["pack", source, "--json", ...where], MODULES);
  const [made] = Packed.parse(JSON.parse(said));
  if (made.name !== NAME)
    throw new Failure("failed", t("{source} is a package of {name}, not of Mimikit", { source, name: made.name }));
  return made;
}

/** Negative where `a` is older than `b`, 0 where both are the same: `0.9.0` < `0.10.0-rc.1` < `0.10.0`. */
export function compareVersions(a: string, b: string): number {
  const [[ofA = "", preA], [ofB = "", preB]] = [a, b].map((version) => version.split(/-(.*)/, 2)) as [
    string[],
    string[],
  ];
  const order = ofA.localeCompare(ofB, "en", { numeric: true });
  if (order !== 0 || preA === preB) return order;
  if (preA === undefined || preB === undefined) return preA === undefined ? 1 : -1;
  return preA.localeCompare(preB, "en", { numeric: true });
}

interface Exchange {
  STAYS: string[];
  partsOf(root: string): string[];
  putInPlace(root: string, fresh: string, old: string): void;
  putBack(root: string, old: string, had: readonly string[], discarded: string): void;
}

/** @throws Failure where it is no newer version. */
export async function wayOfPackage({ source, newVersion, isNew }: PackageNews): Promise<Way> {
  if (!isNew)
    throw new Failure(
      "failed",
      newVersion === VERSION
        ? t("Mimikit {version} is what is here already", { version: VERSION })
        : t(
            "{newVersion} is older than {version}, which is here, and might not understand the state: to go back, restore a backup of then with it",
            { newVersion, version: VERSION },
          ),
    );
  // Of the version that is here, and in memory before it is moved.
  const script = pathToFileURL(join(INSTALLED, "scripts/exchange.mjs")).href;
  const { STAYS, partsOf, putInPlace, putBack } = (await import(script)) as Exchange;
  const had = partsOf(INSTALLED);
  const freshIn = (beside: string) => join(beside, "npm/node_modules", NAME);
  return {
    before: { had },
    async assertMayExchange(home) {
      if (basename(MODULES) !== "node_modules")
        throw new Failure(
          "failed",
          t("{installed} is not installed by npm: install the new version as this one was", { installed: INSTALLED }),
        );
      if (!mayExchange(home))
        throw new Failure(
          "failed",
          t("{installed} belongs to another user than the state: run  {command}", {
            installed: INSTALLED,
            command: byHand(source),
          }),
        );
    },
    async make(beside) {
      assertRoom(beside);
      const { version, filename } = await packed(source, "--pack-destination", beside);
      if (version !== newVersion) throw new Failure("failed", t("{source} was exchanged meanwhile", { source }));
      printProgress(t("installing the new version beside this one"));
      const omitted = bringsNode() ? [] : ["--omit=optional"];
      const where = ["--prefix", join(beside, "npm"), "--install-strategy=shallow", "--omit=dev", ...omitted];
      await runNpm(["install", ...where, join(beside, filename)], beside);
      const missing = STAYS.find((path) => !existsSync(join(freshIn(beside), path)));
      if (missing !== undefined)
        throw new Failure("failed", t("{source} has no {missing}: install it by hand", { source, missing }));
      return freshIn(beside);
    },
    putInPlace: async (beside) => putInPlace(INSTALLED, freshIn(beside), join(beside, "old")),
    putBack: async (beside) => putBack(INSTALLED, join(beside, "old"), had, join(beside, "new")),
  };
}

/** npm's words for a disk that is full are seldom that. @throws Failure where there is too little room. */
function assertRoom(beside: string): void {
  const { bavail, bsize } = statfsSync(beside);
  const [free, needed] = [Math.floor((bavail * bsize) / 1e6), ROOM_MB + (bringsNode() ? ROOM_OF_NODE_MB : 0)];
  if (free < needed)
    throw new Failure(
      "failed",
      t("the disk of {modules} has {free} MB left, and {needed} are needed", { modules: MODULES, free, needed }),
    );
}

/** May this user write here, and is the state theirs too? Programs that root starts would run as root. */
function mayExchange(home: string): boolean {
  if (existsSync(home) && statSync(home).uid !== process.getuid?.()) return false;
  try {
    for (const folder of [MODULES, INSTALLED]) accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    if (hasCode(error, "EACCES", "EROFS", "EPERM")) return false;
    throw error;
  }
}

/** The commands that do the same by hand, with the processes down meanwhile. */
function byHand(source: string): string {
  const above = dirname(MODULES);
  const [prefix, further] = basename(above) === "lib" ? [dirname(above), "-g "] : [above, ""];
  const mimikit = commandName(process.env);
  return `${mimikit} down && sudo npm install ${further}--prefix ${shellWord(prefix)} ${shellWord(source)} && ${mimikit} up`;
}

/** Did npm install a Node with this package? */
function bringsNode(): boolean {
  try {
    fileOfPackage(`node-${TARGET}/bin/node`);
    return true;
  } catch (error) {
    if (hasCode(error, "MODULE_NOT_FOUND")) return false;
    throw error;
  }
}
