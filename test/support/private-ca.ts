/** A certificate that no machine knows, as a company or a proxy that reads along makes them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PrivateCertificate {
  key: Buffer;
  cert: Buffer;
  /** The file for NODE_EXTRA_CA_CERTS. */
  path: string;
  remove(): void;
}

/** Signed by itself, for these names. */
export function makeCertificate(...names: string[]): PrivateCertificate {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-ca-"));
  const [keyPath, path] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const named = ["-subj", `/CN=${names[0]}`, "-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`];
  execFileSync("openssl", ["req", "-x509", ...curve, "-keyout", keyPath, "-out", path, "-days", "2", ...named], {
    stdio: "pipe",
  });
  return {
    key: readFileSync(keyPath),
    cert: readFileSync(path),
    path,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
