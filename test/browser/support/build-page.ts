/** Builds the page for a browser test, as `npm run build:web` does: what is tested, and measured, is what people get. */
import { join } from "node:path";
import { execa } from "execa";

const ROOT = join(import.meta.dirname, "../../..");

/** @param dist the folder for it, which is emptied. */
export async function buildPage(dist: string): Promise<void> {
  // A process of its own: under the test runner's NODE_ENV, Vite builds another page, for development, which is larger.
  await execa("vite", ["build", "apps/web", "--logLevel", "warn", "--outDir", dist, "--emptyOutDir"], {
    cwd: ROOT,
    preferLocal: true,
    env: { NODE_ENV: "production" },
  });
}
