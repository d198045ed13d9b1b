/** The own login of an agent CLI, into a home that is ours alone. The owner signs in at a terminal, in a browser or with a code. */

export interface CliLogin {
  commandLine: readonly [file: string, ...args: string[]];
  /** The variable that says where its home is, and that folder. */
  variable: string;
  dir: string;
}

/** As it is typed: one after the other, with the name of the program in place of its path. */
export function loginText(name: string, logins: readonly CliLogin[]): string {
  return logins
    .map(({ commandLine: [, ...args], variable, dir }) => `${variable}='${dir}' ${[name, ...args].join(" ")}`)
    .join(" && ");
}
