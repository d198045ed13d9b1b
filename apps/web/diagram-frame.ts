/**
 * Builds the document that draws diagrams: one file, with its script in it. A document without an origin could not load one from
 * beside it, and so its policy can name this script by its hash, and no other.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build, type Plugin } from "vite";

const NAME = "virtual:diagram-frame";

/** `import address from "virtual:diagram-frame"` is the address of that document. */
export function diagramFrame(): Plugin {
  return {
    name: "diagram-frame",
    apply: "build",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const { script, licences } = await built();
      this.emitFile({ type: "asset", fileName: "LICENSES-diagrams.md", source: licences });
      const file = this.emitFile({ type: "asset", name: "diagrams.html", source: documentWith(script) });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
  };
}

/** A second way to lay diagrams out, larger than all the rest and under a licence of another kind: what asks for it is laid out as all else is. */
const withoutElk: Plugin = {
  name: "without-elk",
  enforce: "pre",
  resolveId: (id) => (id.startsWith("elkjs") ? "\0elk" : undefined),
  load: (id) =>
    id === "\0elk" ? 'export default class { constructor() { throw new Error("not here"); } }' : undefined,
};

async function built(): Promise<{ script: string; licences: string }> {
  const outcome = await build({
    root: import.meta.dirname,
    configFile: false,
    publicDir: false,
    plugins: [withoutElk],
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      license: { fileName: "LICENSES.md" },
      rolldownOptions: {
        input: join(import.meta.dirname, "src/diagrams/frame.ts"),
        output: { format: "iife", codeSplitting: false },
        // It asks for its own address only to load what is beside it, and all is in the file.
        checks: { emptyImportMeta: false },
      },
    },
  });
  const files = (Array.isArray(outcome) ? outcome : [outcome]).flatMap((one) => ("output" in one ? one.output : []));
  const script = files.find((file) => file.type === "chunk");
  const licences = files.find((file) => file.type === "asset" && file.fileName === "LICENSES.md");
  if (script?.type !== "chunk" || licences?.type !== "asset") throw new Error("the frame of diagrams was not built");
  return { script: script.code, licences: String(licences.source) };
}

function documentWith(code: string): string {
  // Characters that would end the script in HTML are in its texts only, where an escape means the same.
  const script = code.replace(/<(?=\/script|!--)/gi, "\\x3c");
  const hash = createHash("sha256").update(script).digest("base64");
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src 'sha256-${hash}'"><title>Diagrams</title><body><script>${script}</script>`;
}
