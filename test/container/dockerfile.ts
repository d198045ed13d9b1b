/** Reads a Dockerfile, as far as ours needs it. */

export interface Instruction {
  /** In capitals: `RUN`. */
  name: string;
  /** The text behind it, in one line. */
  text: string;
}

export interface Stage {
  /** `build` of `FROM node:24-slim AS build`; empty for one without a name. */
  name: string;
  instructions: Instruction[];
}

/** The stages in their order. Throws where an instruction comes before the first of them. */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = [];
  const lines = dockerfile.replaceAll(/^\s*#.*\n/gm, "").replaceAll(/\\\n/g, " ");
  for (const [, name = "", text = ""] of lines.matchAll(/^([A-Z]+) (.+)$/gm)) {
    if (name === "FROM") stages.push({ name: / AS (\S+)/.exec(text)?.[1] ?? "", instructions: [] });
    else if (stages.length === 0) throw new Error(`${name} stands before FROM`);
    else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

/** How a container of a stage is run. */
export interface RunPlan {
  env: Record<string, string>;
  workDir: string;
  uid: number;
  gid: number;
  volumes: string[];
  /** ENTRYPOINT and CMD together. */
  command: string[];
  /** A line for the shell. */
  healthCheck: string;
}

/** Throws where the stage leaves out what ours has. */
export function runPlanOf({ instructions }: Stage): RunPlan {
  const last = (name: string) => {
    const found = instructions.findLast((each) => each.name === name);
    if (found === undefined) throw new Error(`the last stage has no ${name}`);
    return found.text;
  };
  const list = (name: string) => JSON.parse(last(name)) as string[];
  const variables = instructions.filter(({ name }) => name === "ENV").flatMap(({ text }) => text.split(" "));
  const [uid = Number.NaN, gid = Number.NaN] = last("USER").split(":").map(Number);
  return {
    env: Object.fromEntries(variables.map((each) => each.split(/=(.*)/s, 2) as [string, string])),
    workDir: last("WORKDIR"),
    uid,
    gid,
    volumes: list("VOLUME"),
    command: [...list("ENTRYPOINT"), ...list("CMD")],
    healthCheck: last("HEALTHCHECK").replace(/^.*?CMD /, ""),
  };
}
