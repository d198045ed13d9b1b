/** Values as codex reads them in `-c key=value`: TOML on one line. */

export type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** A string of TOML is one of JSON, but for characters that no setting of ours has. */
export function toToml(value: TomlValue): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(toToml).join(",")}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}=${toToml(each)}`);
  return `{${pairs.join(",")}}`;
}

function isList(value: object): value is readonly TomlValue[] {
  return Array.isArray(value);
}
