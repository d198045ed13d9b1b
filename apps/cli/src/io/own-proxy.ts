/** The proxy of a command: that of the settings and variables that it sees. */
import { loadConfig } from "@mimikit/runtime/config/config";
import { type Environment, resolveHome } from "@mimikit/runtime/home/home";
import { useProxy } from "@mimikit/runtime/network/use-proxy";

/**
 * From now on, requests of this command and the programs that it starts go through it.
 * @param env of the running processes, where a command tries out what they will do.
 */
export function useOwnProxy(env: Environment = process.env): void {
  useProxy(loadConfig(resolveHome(process.env).home, env).config.proxy, env);
}
