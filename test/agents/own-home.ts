/**
 * No agent CLI that is tested sees the home of whoever runs the tests: neither a login, nor settings, nor what his shell
 * does when it starts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const home = mkdtempSync(join(tmpdir(), "mimikit-agents-home-"));
process.env.HOME = home;
afterAll(() => rmSync(home, { recursive: true, force: true }));
