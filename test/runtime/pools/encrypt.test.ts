import { randomBytes } from "node:crypto";
import { BadJson } from "@mimikit/protocol/base/json";
import { Carrier } from "@mimikit/runtime/pools/carrier";
import { type CipherPlace, decrypt, encrypt, NotDecryptable } from "@mimikit/runtime/pools/encrypt";
import { jobOf, partsOfJob } from "@mimikit/runtime/pools/names";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const key = randomBytes(32).toString("base64");
const Said = z.object({ text: z.string() });
const place: CipherPlace = { job: "home.epoch.t-000001.0.a1", pool: "box", direction: "from-pool", seq: "s.1" };
const sealed = encrypt(key, place, { text: "hello" });

describe("an encrypted text", () => {
  test("is opened in its place with its key", () => {
    expect(decrypt(key, place, Said, sealed)).toEqual({ text: "hello" });
  });

  test("tells nothing, and is never the same twice", () => {
    expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("hello");
    expect(encrypt(key, place, { text: "hello" })).not.toBe(sealed);
  });

  test.each<[string, Partial<CipherPlace>]>([
    ["job", { job: "home.epoch.t-000001.0.a2" }],
    ["pool", { pool: "other" }],
    ["direction", { direction: "to-pool" }],
    ["number", { seq: "s.2" }],
  ])("is refused in the place of another %s", (_what, other) => {
    expect(() => decrypt(key, { ...place, ...other }, Said, sealed)).toThrow(NotDecryptable);
  });

  test("is refused with another key, where a bit of it was changed, and where it is cut off", () => {
    const bytes = Buffer.from(sealed, "base64");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => decrypt(randomBytes(32).toString("base64"), place, Said, sealed)).toThrow(NotDecryptable);
    expect(() => decrypt(key, place, Said, bytes.toString("base64"))).toThrow(NotDecryptable);
    expect(() => decrypt(key, place, Said, sealed.slice(0, 8))).toThrow(NotDecryptable);
  });

  test("is refused where it is of another shape", () => {
    expect(() => decrypt(key, place, Said, encrypt(key, place, { words: 1 }))).toThrow(BadJson);
  });
});

describe("what is carried", () => {
  const ends = () => {
    const from = new Carrier({ key, pool: "box" }, { sent: "from-pool", heard: "to-pool" }, Said);
    const to = new Carrier({ key, pool: "box" }, { sent: "to-pool", heard: "from-pool" }, Said);
    return { from, to };
  };

  test("is heard once, and never after what its sender said later", () => {
    const { from, to } = ends();
    const [first, second] = [from.wrap("job", { text: "1" }), from.wrap("job", { text: "2" })];
    expect(to.open(second)).toEqual({ text: "2" });
    expect(to.open(second)).toBeNull();
    expect(to.open(first)).toBeNull();
  });

  test("is heard of a sender that has started anew", () => {
    const { from, to } = ends();
    to.open(from.wrap("job", { text: "1" }));
    expect(to.open(ends().from.wrap("job", { text: "again" }))).toEqual({ text: "again" });
  });

  test("is not heard where somebody has turned it round, or moved it to another job or number", () => {
    const { from, to } = ends();
    const message = from.wrap("job", { text: "1" });
    expect(from.open(message)).toBeNull();
    expect(to.open({ ...message, job: "other" })).toBeNull();
    expect(to.open({ ...message, seq: message.seq.replace(/\d+$/, "7") })).toBeNull();
    expect(to.open({ ...message, seq: "none" })).toBeNull();
    // A refused message does not count as heard.
    expect(to.open(message)).toEqual({ text: "1" });
  });
});

test("the name of a job says the home, its life, the task and the attempt", () => {
  const [id, epoch] = ["0123456789abcdef", "fedcba9876543210"];
  const job = jobOf({ id, epoch }, "t-000001.0.a2", 3);
  expect(partsOfJob(job)).toEqual({ home: id, epoch, task: "t-000001.0.a2", attempt: 3 });
  expect(partsOfJob("t-000001.0.a1")).toBeNull();
});
