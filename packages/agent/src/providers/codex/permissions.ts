/**
 * Where the commands of a Worker on codex may reach: codex's own sandbox shows them the whole file system read-only, the
 * workspace and the temporary directories writable, and nothing of the state directory.
 *
 * Measured on 0.169.0: a directory below a denied one is shown only where it is writable, and what is in it can then be
 * read-only again. codex starts its sandbox through links to itself that it keeps in its home, so these must be shown.
 */
import { mkdir, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Run } from "../../provider.ts";
import { mayWrite } from "../../roles/index.ts";
import { artifactOf } from "../../shell/artifact.ts";
import { hiddenPlaces, protectedPlaces } from "../../shell/places.ts";
import { UnusableCli } from "../agent-cli/version.ts";
import type { TomlValue } from "./toml.ts";

export const PROFILE = "worker";
/** In codex's home: no code relies on what it makes there besides the links. */
const CODEX_TEMPORARY = "tmp";
const CODEX_LINKS = "arg0-linux";

export interface CodexReach {
  /** The state directory, which is not shown. */
  home: string;
  workDir: string;
  /** TMPDIR of this run. */
  temporary: string;
  /** Files and directories of the state directory that are shown, read-only. Paths beside them are writable. */
  shown: readonly string[];
  /** Other directories that are not shown. */
  hidden: readonly string[];
  /** Nothing in the workspace can be changed. */
  isReadOnly: boolean;
  /** Nothing in these can be changed, though they may lie where everybody writes. */
  protect: readonly string[];
}

type Place = Pick<Run, "home" | "workDir" | "protect"> & {
  task: Pick<Run["task"], "kind" | "upstream" | "skill">;
  context: Pick<Run["context"], "longTexts" | "evidence">;
};

/**
 * All paths are real ones: what is denied under one name must not be there under another. Throws what the disk throws,
 * and `UnusableCli` where the workspace is the state directory.
 */
export async function reachOf(place: Place, codexHome: string, temporary: string): Promise<CodexReach> {
  const links = join(codexHome, CODEX_TEMPORARY, CODEX_LINKS);
  await mkdir(links, { recursive: true, mode: 0o700 });
  const [home, workDir] = await Promise.all([realpath(place.home), realpath(place.workDir)]);
  if (workDir === home)
    throw new UnusableCli(`codex cannot keep a Worker from the state directory: it is the workspace (${home})`);
  // The outputs that the prompt names: earlier tasks of the chain handed them in. Outputs elsewhere can be read anyway.
  const outputs = await Promise.all(place.task.upstream.map((report) => artifactOf(report, place.home)));
  const ours = outputs.flatMap((path) => (path?.startsWith(home + sep) === true ? [path] : []));
  // Each run has its own copies.
  const files = (place.context.evidence ?? []).flatMap(({ path, textPath }) => [path ?? [], textPath ?? []].flat());
  const inputs = [...files, ...Object.values(place.context.longTexts)];
  const shown = [await realpath(links), ...ours, ...(await Promise.all(inputs.map((path) => realpath(path))))];
  return {
    home,
    workDir,
    temporary: await realpath(temporary),
    shown,
    hidden: await hiddenPlaces(home, workDir),
    isReadOnly: !mayWrite(place.task),
    protect: [
      ...(await Promise.all((place.protect ?? []).map((path) => realpath(path)))),
      ...(await protectedPlaces(workDir)),
    ],
  };
}

/** The settings of codex that make it so. */
export function permissionValues(
  { home, workDir, temporary, shown, hidden, isReadOnly, protect }: CodexReach,
  network: boolean,
): Record<string, TomlValue> {
  // Only these: an earlier Worker may have left any number of files beside its output, and links that codex stumbles over.
  const passages = shown.flatMap((path) => [[dirname(path), "write"] as const, [path, "read"] as const]);
  return {
    default_permissions: PROFILE,
    [`permissions.${PROFILE}.filesystem`]: {
      ":root": "read",
      // Beside TMPDIR, because many programs know no other place.
      ":slash_tmp": "write",
      ...Object.fromEntries(protect.map((path) => [path, "read"] as const)),
      ...Object.fromEntries([...hidden, home].map((path) => [path, "deny"] as const)),
      ...Object.fromEntries(passages),
      [temporary]: "write",
      [workDir]: isReadOnly ? "read" : "write",
    },
    [`permissions.${PROFILE}.network`]: { enabled: network },
  };
}
