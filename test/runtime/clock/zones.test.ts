/** The time zone of this machine, and that of its owner. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";
import { personZone, rememberBrowserZone } from "@mimikit/runtime/clock/person-zone";
import { isUnusable, systemTimeZone, zoneNamed } from "@mimikit/runtime/clock/system-zone";
import { loadConfig } from "@mimikit/runtime/config/config";
import { openDisk } from "@mimikit/store/disk/disk";
import { BROWSER_ZONE_PATH } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";

const SOURCE = join(import.meta.dirname, "../../../packages/runtime/src/clock/system-zone.ts");

describe("the zone of this machine", () => {
  test.each([
    ["Europe/Berlin", "Europe/Berlin"],
    [":Europe/Berlin", "Europe/Berlin"],
    ["posix/Europe/Berlin", "Europe/Berlin"],
    ["/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"],
    [":/usr/share/zoneinfo/right/Asia/Tokyo", "Asia/Tokyo"],
    ["UTC0", "UTC"],
    ["GMT0", "GMT0"],
    ["", "UTC"],
    ["UTC+8", "Etc/GMT+8"],
    ["<+08>-8", "Etc/GMT-8"],
    ["<-03>3", "Etc/GMT+3"],
  ])("TZ=%s is %s", (tz, named) => {
    expect(zoneNamed(tz)).toBe(named);
  });

  test.each([
    ":/etc/localtime",
    "/etc/localtime",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "nonsense",
    "/no/such/file",
    "UTC+99",
    "\0",
  ])("a TZ that names none is that of the system: %j", (tz) => {
    expect(isUnusable(tz)).toBe(true);
    expect(zoneNamed(tz)).toBe(zoneNamed(undefined));
    expect(isTimeZone(zoneNamed(tz))).toBe(true);
  });

  // Each is a process of its own: the runtime reads TZ when it begins.
  test.each([":/etc/localtime", "UTC0", "/etc/localtime", "", "nonsense", "<+08>-8", "Asia/Tokyo"])(
    "every part of a process with TZ=%j has a zone with a name",
    (tz) => {
      const script = `
        const { settleTimeZone, systemTimeZone } = await import(${JSON.stringify(SOURCE)});
        const before = systemTimeZone();
        settleTimeZone(process.env);
        const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
        console.log(JSON.stringify([before, systemTimeZone(), timeZone, -new Date(0).getTimezoneOffset() / 60]));`;
      const args = ["--experimental-strip-types", "--no-warnings", "--input-type=module", "-e", script];
      const [before, own, runtime, hours] = JSON.parse(
        execFileSync(process.execPath, args, { env: { ...process.env, TZ: tz }, encoding: "utf8" }),
      );
      const named = canonical(zoneNamed(tz));
      expect([before, own, runtime].map(canonical)).toEqual([named, named, named]);
      if (tz === "<+08>-8") expect(hours).toBe(8);
      if (tz === "Asia/Tokyo") expect(hours).toBe(9);
    },
  );
});

/** Names have synonyms, of which the runtime prefers one. */
const canonical = (zone: string) => new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;

describe("the owner's zone", () => {
  function emptyHome() {
    const home = mkdtempSync(join(tmpdir(), "mimikit-zone-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, "tmp"));
    return { home, fs: openDisk(home, "test") };
  }

  test("is the setting, else that of the browser that was signed in last, else that of this machine", async () => {
    const { home, fs } = emptyHome();
    const zone = () => personZone(home, loadConfig(home, {}).config);
    expect(zone()).toEqual({ timeZone: systemTimeZone(), isSetting: false });
    await rememberBrowserZone(home, fs, "Australia/Sydney", Date.now());
    expect(zone()).toEqual({ timeZone: "Australia/Sydney", isSetting: false });
    await rememberBrowserZone(home, fs, "Asia/Shanghai", Date.now());
    expect(zone()).toEqual({ timeZone: "Asia/Shanghai", isSetting: false });
    writeFileSync(join(home, "config.yaml"), "timezone: Europe/Berlin\n");
    expect(zone()).toEqual({ timeZone: "Europe/Berlin", isSetting: true });
  });

  test("is not changed by a zone that there is not, nor by a damaged record", async () => {
    const { home, fs } = emptyHome();
    await rememberBrowserZone(home, fs, "Mars/Olympus", Date.now());
    expect(personZone(home, {}).timeZone).toBe(systemTimeZone());
    await rememberBrowserZone(home, fs, "Asia/Tokyo", Date.now());
    const text = readFileSync(join(home, BROWSER_ZONE_PATH), "utf8");
    for (const damaged of ["", text.slice(0, 9), text.replace("Asia/Tokyo", "Mars/Olympus"), "[]"]) {
      writeFileSync(join(home, BROWSER_ZONE_PATH), damaged);
      expect(personZone(home, {}).timeZone).toBe(systemTimeZone());
    }
  });

  test("is refused as a setting where it names no zone", () => {
    const { home } = emptyHome();
    for (const timezone of ["UTC0", ":/etc/localtime", "Mars/Olympus", "''"]) {
      writeFileSync(join(home, "config.yaml"), `timezone: "${timezone}"\n`);
      const { problems, config } = loadConfig(home, {});
      expect(problems.join()).toContain("timezone");
      expect(config.timezone).toBeUndefined();
    }
    expect(loadConfig(home, { MIMIKIT_TIMEZONE: "UTC0" }).problems.join()).toContain("MIMIKIT_TIMEZONE");
  });
});
