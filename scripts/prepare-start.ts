/**
 * The script that ecosystem.config.cjs runs before PM2 copies its environment: keeps the keys of the caller's variables,
 * and prints as JSON the workspace, which it makes if it is apart, the flags of V8 that the settings ask for, and
 * whether a channel or a pool is set up. With `--place` it prints only where the state and the workspace are, and changes nothing.
 */
import { loadConfig } from "@mimikit/runtime/config/config";
import { keepKeys } from "@mimikit/runtime/config/keep-keys";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { openHome } from "@mimikit/runtime/home/adoption";
import { HomeError, resolveHome } from "@mimikit/runtime/home/home";
import { makeWorkDir } from "@mimikit/runtime/home/work-dir";
import { hasChannels, hasPools } from "@mimikit/runtime/process/roles-of";
import { v8Flags } from "@mimikit/runtime/process/v8-flags";
import { DocumentBusy } from "@mimikit/store/documents/document";

const place = resolveHome(process.env);
const { home, workDir } = place;
try {
  if (process.argv.includes("--place")) {
    console.log(JSON.stringify({ home, workDir }));
    process.exit();
  }
  const said = makeWorkDir(place);
  if (said !== null) console.error(`mimikit: ${said}`);
  if (KEY_VARIABLES.some((name) => process.env[name])) {
    openHome(home, process.env);
    const { lines } = await keepKeys(home, process.env);
    for (const line of lines) console.error(`mimikit: ${line}`);
  }
  const flags = v8Flags(loadConfig(home, process.env).config);
  console.log(
    JSON.stringify({
      flags,
      home,
      workDir,
      hasChannels: hasChannels(home, process.env),
      hasPools: hasPools(home, process.env),
    }),
  );
} catch (error) {
  if (!(error instanceof HomeError || error instanceof DocumentBusy)) throw error;
  console.error(`mimikit: ${error.message}`);
  process.exitCode = 1;
}
