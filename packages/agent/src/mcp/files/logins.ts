/**
 * The logins of MCP servers (OAuth): `mcp-logins.json`, kept as `secrets.json` is. A login counts for the address
 * that it was made for, and for no other.
 */
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { HomeError } from "@mimikit/runtime/home/home";
import { editPrivateFile, readPrivateFile } from "@mimikit/runtime/home/private-file";
import { MCP_LOGINS_PATH } from "@mimikit/store/disk/state";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { z } from "zod";

type Tokens = Parameters<OAuthClientProvider["saveTokens"]>[0];
type Client = Parameters<NonNullable<OAuthClientProvider["saveClientInformation"]>>[0];

/** The library knows what is in them. */
const McpLogin = z.object({
  url: z.string(),
  client: z.custom<Client>((value) => typeof value === "object" && value !== null),
  tokens: z.custom<Tokens>((value) => typeof value === "object" && value !== null),
});
export type McpLogin = z.infer<typeof McpLogin>;
const Logins = z.looseObject({ logins: z.record(z.string(), McpLogin).default({}) });

/** The server needs a login by a person; the message says how. */
export class LoginNeeded extends Error {
  constructor(name: string) {
    super(`it asks for a login: run  mimikit mcp login '${name}'`);
  }
}

/** The login for a server at this address; undefined where there is none. Throws HomeError where the file cannot be used. */
export function readLogin(home: string, name: string, url: string): McpLogin | undefined {
  const login = readLogins(home).logins[name];
  return login?.url === url ? login : undefined;
}

/**
 * Keeps a login durably; null forgets it. Throws HomeError and DocumentBusy.
 * @param isInstead is asked of the one that is there: where it says no, that one stays.
 * @returns whether there was one.
 */
export async function setLogin(
  home: string,
  name: string,
  login: McpLogin | null,
  isInstead: (old: McpLogin | undefined) => boolean = () => true,
): Promise<boolean> {
  let wasThere = false;
  await editPrivateFile(home, MCP_LOGINS_PATH, (text) => {
    const file = loginsIn(home, text);
    const { [name]: old, ...others } = file.logins;
    wasThere = old !== undefined;
    if ((login === null && !wasThere) || !isInstead(old)) return null;
    const logins = login === null ? others : { ...others, [name]: login };
    return `${JSON.stringify({ ...file, logins }, null, 2)}\n`;
  });
  return wasThere;
}

function readLogins(home: string): z.infer<typeof Logins> {
  return loginsIn(home, readPrivateFile(join(home, MCP_LOGINS_PATH)));
}

function loginsIn(home: string, text: string | null): z.infer<typeof Logins> {
  if (text === null) return { logins: {} };
  try {
    return parseRecord(Logins, text);
  } catch (error) {
    if (error instanceof BadJson)
      throw new HomeError(`${join(home, MCP_LOGINS_PATH)} holds no valid logins: remove it and log in again`);
    throw error;
  }
}

/** Our name to authorization servers. */
export const clientMetadata = (redirectUrl: string) => ({
  client_name: "Mimikit",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/**
 * For the library: a login that is kept. It is refreshed as it must be, also by another process of ours; a new one is for a person
 * to make.
 */
export function savedLogin(home: string, name: string, { url, client }: McpLogin): OAuthClientProvider {
  const [redirectUrl = "http://127.0.0.1/callback"] = (client as { redirect_uris?: string[] }).redirect_uris ?? [];
  let used: Tokens | undefined;
  return {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl),
    clientInformation: () => client,
    tokens() {
      used = readLogin(home, name, url)?.tokens;
      return used;
    },
    async saveTokens(tokens) {
      await setLogin(home, name, { url, client, tokens });
    },
    /** The tokens that were used are refused. Those that another process was given meanwhile stay. */
    async invalidateCredentials() {
      const isUsed = (old?: McpLogin) => old?.url === url && JSON.stringify(old.tokens) === JSON.stringify(used);
      await setLogin(home, name, null, isUsed);
    },
    redirectToAuthorization() {
      throw new LoginNeeded(name);
    },
    saveCodeVerifier: () => undefined,
    codeVerifier() {
      throw new LoginNeeded(name);
    },
  };
}
