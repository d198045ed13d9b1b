/** Addresses are shown without the secrets in them, of whatever scheme, and wherever they are in a setting. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeSettings, MASK, maskedIn } from "@mimikit/runtime/config/describe-settings";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-home.ts";

test.each([
  ["redis://:canary@host:6379", `redis://${MASK}@host:6379`],
  ["rediss://me:canary@host", `rediss://${MASK}@host`],
  ["HTTPS://me:canary@host/v1", `HTTPS://${MASK}@host/v1`],
  ["http://me:can@ary@host", `http://${MASK}@host`],
  ["https://canary@host", `https://${MASK}@host`],
  ["curl postgres://me:canary@host/db", `curl postgres://${MASK}@host/db`],
  ["https://host/v1?key=canary&x=1", `https://host/v1?key=${MASK}&x=1`],
  ["https://host/?x=1&api_key=canary#top", `https://host/?x=1&api_key=${MASK}#top`],
  ["https://host/?access_token=canary", `https://host/?access_token=${MASK}`],
  ["https://host/a@b?monkey=1", "https://host/a@b?monkey=1"],
  ["redis://host:6379", "redis://host:6379"],
])("%j is shown as %j", (address, shown) => {
  expect(maskedIn(address)).toBe(shown);
  expect(maskedIn({ a: [address] })).toEqual({ a: [shown] });
});

test("no setting shows a secret of the file or of a variable", () => {
  const home = temporaryDirectory();
  writeFileSync(
    join(home, "config.yaml"),
    'openai: { baseUrl: "https://u:canary@h/v1?token=canary" }\nselfImprove: { checks: ["curl ftp://u:canary@h/x"] }\n',
  );
  const shown = JSON.stringify(describeSettings(home, { MIMIKIT_POOLS_URL: "redis://:canary@host" }));
  expect(shown).toContain(`redis://${MASK}@host`);
  expect(shown).not.toContain("canary");
});
