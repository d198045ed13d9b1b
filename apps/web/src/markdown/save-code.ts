/** Saves code as a file that ends as its language does. */
import { saveBlob } from "../ui/save-blob.ts";

/** How files of a language end, where that is not its name: each ending with the names of what ends so. */
const ENDINGS = {
  sh: "bash|console|shell|zsh",
  js: "javascript|node",
  ts: "typescript",
  py: "python",
  rs: "rust",
  rb: "ruby",
  md: "markdown",
  yaml: "yml",
  cs: "csharp|c#",
  cpp: "c++",
  kt: "kotlin",
};
const NAMED_BY_ENDING =
  /^(sh|js|jsx|ts|tsx|py|rs|rb|md|yaml|cs|c|h|cpp|kt|css|diff|go|html|ini|java|json|mermaid|php|ps1|sql|svg|swift|tex|toml|xml)$/;

/** @param language as the code block names it. */
export function saveCode(source: string, language: string): void {
  saveBlob(new Blob([source], { type: "text/plain" }), `code.${endingOf(language.toLowerCase())}`);
}

function endingOf(language: string): string {
  const ending = Object.entries(ENDINGS).find(([, names]) => names.split("|").includes(language))?.[0];
  return ending ?? NAMED_BY_ENDING.exec(language)?.[0] ?? "txt";
}
