/**
 * The commands of which *always* is offered, in one table. A command is in it if it is not there to run others, and if none of its
 * options names a program or a configuration. The files of the project and the packages that it names are part of it: `npm test` runs
 * the script of package.json, `npm install` those of a package (docs/autonomy.md#commands-that-can-be-allowed-for-good).
 */

export interface LastingCommand {
  programs: readonly string[];
  /** One of these follows the program; where there are none, the program needs none. */
  subcommands: readonly string[];
  /** The options that it may have, with or without `=value`; `any` where it runs nothing with any option. */
  options: readonly string[] | "any";
}

const words = (text: string) => text.split(" ");
const lasting = (programs: string, subcommands: string, options: string): LastingCommand => ({
  programs: words(programs),
  subcommands: subcommands === "" ? [] : words(subcommands),
  options: options === "any" ? "any" : words(options),
});

export const LASTING_COMMANDS: readonly LastingCommand[] = [
  lasting(
    "npm",
    "install i ci add test audit outdated",
    "-D --save-dev -S --save -E --save-exact -O --save-optional --no-save --no-audit --no-fund --ignore-scripts --omit --prefer-offline -q --quiet --silent",
  ),
  lasting(
    "pnpm",
    "install i add test audit outdated",
    "-D --save-dev -E --save-exact --frozen-lockfile --ignore-scripts --offline --prefer-offline",
  ),
  lasting(
    "yarn",
    "install add test audit outdated",
    "-D --dev -E --exact --frozen-lockfile --immutable --ignore-scripts --offline",
  ),
  lasting("bun", "install add", "-d --dev -E --exact --frozen-lockfile --ignore-scripts"),
  lasting(
    "pip pip3",
    "install download list",
    "-r --requirement -U --upgrade --user --no-deps --no-cache-dir -q --quiet",
  ),
  lasting("uv", "sync lock add", "--dev --frozen --locked --upgrade -U -q --quiet"),
  lasting("poetry", "install add lock update", "--no-root --sync -q --quiet"),
  lasting(
    "cargo",
    "build check test fetch add update doc clippy fmt",
    "--release --all --workspace --all-targets --all-features --locked --offline --frozen -q --quiet -v --verbose",
  ),
  lasting("go", "build test vet get", "-v -race -u -count"),
  lasting("dotnet", "restore build test", "--no-restore --no-build -c --configuration"),
  lasting("swift", "build test", "-c --configuration -v --verbose"),
  lasting("composer gem bundle", "install update", "--no-dev --no-interaction --no-document -q --quiet"),
  lasting(
    "git",
    "status log show diff fetch pull push add commit",
    "--all -a --prune -p --tags -v --verbose -q --quiet --dry-run --depth --ff-only --no-rebase -u --set-upstream --oneline --stat --graph -n --cached --staged --name-only -s --short -m --message --no-edit",
  ),
  lasting(
    "ls cat head tail wc grep pwd stat du df echo mkdir touch cmp basename dirname realpath readlink sha256sum",
    "",
    "any",
  ),
];

/** The row of a command whose words these are; undefined where it asks each time. */
export function lastingCommand([program = "", ...rest]: readonly string[]): LastingCommand | undefined {
  const row = LASTING_COMMANDS.find(({ programs }) => programs.includes(program));
  if (row === undefined) return undefined;
  const [next = "", ...others] = rest;
  if (row.subcommands.length > 0 && !row.subcommands.includes(next)) return undefined;
  const { options } = row;
  const isKnown = (word: string) => !word.startsWith("-") || options.includes(word.split("=")[0] ?? "");
  return options === "any" || others.every(isKnown) ? row : undefined;
}

/** Does a permission that was given for these words still hold? One of an earlier version may be for a program that is not in the table. */
export function isLasting(prefix: readonly string[]): boolean {
  return lastingCommand(prefix) !== undefined;
}

/** Permissions for people, each with whether it still holds. */
export function withHolds<A extends { prefix: readonly string[] }>(
  approvals: readonly A[],
): (A & { holds: boolean })[] {
  return approvals.map((approval) => ({ ...approval, holds: isLasting(approval.prefix) }));
}
