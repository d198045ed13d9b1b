/** One code pairs one person, whatever is cut off in between. */

import { PairingOffer } from "@mimikit/protocol/channels/records";
import type { Via } from "@mimikit/protocol/channels/via";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { channelOf, pairingOfferPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { hashOf, People } from "../../apps/channels/src/people/people.ts";
import { temporaryHome } from "../runtime/temporary-home.ts";

const ADA: Via = { channel: "telegram", chat: "1", person: "1" };
const EVE: Via = { channel: "telegram", chat: "2", person: "2" };
const OFFER = pairingOfferPath("telegram", hashOf("K7QM2P9D"));
const NOW_MS = Date.parse("2026-11-25T12:00:00Z");

async function offered(expiresInMs: number): Promise<FileSystem> {
  const fs = openDisk(temporaryHome(), "test");
  await fs.makeDir(channelOf("telegram"));
  const expiresAt = new Date(NOW_MS + expiresInMs).toISOString();
  await createRecord(fs, PairingOffer, OFFER, { expiresAt });
  return fs;
}

const open = (fs: FileSystem) =>
  People.open({ fs, channel: "telegram", log: { audit: () => {}, warn: () => {} } as never, nowMs: () => NOW_MS });

test("a kill between the pairing and the end of the offer pairs the same person, and nobody else", async () => {
  const fs = await offered(60_000);
  const cutOff = Object.assign(Object.create(fs), {
    unlink: async (path: string) => {
      if (path === OFFER) throw new Error("killed");
      await fs.unlink(path);
    },
  }) as FileSystem;
  await expect((await open(cutOff)).tryPairing(ADA, "Ada", "k7qm 2p9d")).rejects.toThrow("killed");
  const people = await open(fs);
  expect(await people.tryPairing(EVE, "Eve", "K7QM-2P9D")).toBe(false);
  expect(await people.tryPairing(ADA, "Ada", "K7QM-2P9D")).toBe(true);
  expect(people.paired.map(({ person }) => person)).toEqual(["1"]);
  expect(await fs.exists(OFFER)).toBe(false);
});

test.each([
  ["is over", -1],
  ["was made by a clock that has been set back since", 86_400_000],
])("an offer that %s pairs nobody", async (_when, expiresInMs) => {
  const people = await open(await offered(expiresInMs));
  expect(await people.tryPairing(ADA, "Ada", "K7QM-2P9D")).toBe(false);
  expect(people.paired).toEqual([]);
});
