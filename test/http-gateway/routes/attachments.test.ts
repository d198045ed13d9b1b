import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ATTACHMENT_BYTES_MAX } from "@mimikit/protocol/base/attachment";
import { Message } from "@mimikit/protocol/records/inbox";
import { TypeSniffer } from "@mimikit/store/attachments/sniff-type";
import { attachmentPath, inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { docx, epub, pptx, xlsx } from "../../support/documents.ts";
import { connect } from "../client.ts";
import { type Started, startGateway } from "../gateway.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const idOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function upload(gateway: Started, body: Buffer | string, type = "application/octet-stream", more = {}) {
  return gateway.ask("/api/attachments", { method: "POST", body, headers: { "Content-Type": type, ...more } });
}

test("a file is stored once under its hash, private, and told by its bytes whatever type was declared", async () => {
  const gateway = await startGateway();
  const answers = await Promise.all([upload(gateway, PNG, "text/html"), upload(gateway, PNG, "image/jpeg")]);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 201, json: { id: idOf(PNG), type: "image/png", bytes: PNG.length } });
  expect(gateway.names("attachments")).toEqual([idOf(PNG), `${idOf(PNG)}.json`]);
  expect(statSync(join(gateway.home, attachmentPath(idOf(PNG)))).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(gateway.home, attachmentPath(idOf(PNG))))).toEqual(PNG);
});

test.each([
  ["image/gif", "GIF89a\x01\x00"],
  ["image/jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF"],
  ["image/webp", "RIFF\x10\x00\x00\x00WEBPVP8 "],
  ["audio/wav", "RIFF\x10\x00\x00\x00WAVEfmt "],
  ["audio/mpeg", "\xff\xfb\x90\x64\x00"],
  ["audio/mpeg", "ID3\x04\x00\x00"],
  ["audio/ogg", "OggS\x00\x02"],
  ["audio/mp4", "\x00\x00\x00\x1cftypM4A \x00"],
  ["audio/flac", "fLaC\x00\x00"],
  ["application/pdf", "%PDF-1.7\n\xe2\xe3"],
  ["text/plain", Buffer.from("héllo 你好\n").toString("latin1")],
  ["text/plain", "<svg onload=alert(1)>"],
  ["text/plain", "Stra\xdfe;1"],
  ["text/plain", "\xc4\xe3\xba\xc3,1"],
  ["text/plain", "\x90\xbf\x8b\x81\x8f\x91,1200\x89\x7e"],
  ["text/plain", "\xff\xfea\0,\0b\0"],
  ["text/plain", "\x1b[31merror\x1b[0m: caf\xe9\n"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx(["a"]).toString("latin1")],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx().toString("latin1")],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", pptx().toString("latin1")],
  ["application/epub+zip", epub().toString("latin1")],
  ["application/zip", "PK\x03\x04\x14\x00\x00\x00 and whatever else"],
  ["application/octet-stream", "\x7fELF\x02\x01\x01\x00"],
  ["application/octet-stream", "half a character \xc3"],
  ["application/octet-stream", "\xff\xff\xff"],
  ["application/octet-stream", "\x00\x00\x00\x18ftypmp42"],
])("%s is known by its bytes", async (type, bytes) => {
  const gateway = await startGateway();
  expect(await upload(gateway, Buffer.from(bytes, "latin1"))).toMatchObject({ status: 201, json: { type } });
});

test("a text is known wherever the pieces of it end, and wherever its first character is that is not ASCII", () => {
  const ascii = "a;1\n".repeat(2_000);
  for (const text of ["\xc4\xe3\xba\xc3;1\n", "caf\xe9", "\xff\xfea\0,\0b\0"].flatMap((tail) => [
    tail,
    `${tail}${ascii}`,
  ]))
    for (const size of [1, 4_097]) {
      const bytes = Buffer.from(text.startsWith("\xff") ? text : `${ascii}${text}`, "latin1");
      const sniffer = new TypeSniffer();
      for (let at = 0; at < bytes.length; at += size) sniffer.add(bytes.subarray(at, at + size));
      expect(sniffer.type).toBe("text/plain");
    }
});

test("an office file is known wherever the pieces of it end", () => {
  const bytes = docx(["a"]);
  const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  for (const size of [1, 7, 31]) {
    const sniffer = new TypeSniffer();
    for (let at = 0; at < bytes.length; at += size) sniffer.add(bytes.subarray(at, at + size));
    expect(sniffer.type).toBe(type);
  }
});

test("what is empty, packed in a form or compressed is refused, and nothing of it stays", async () => {
  const gateway = await startGateway();
  const cases = [
    [await upload(gateway, ""), 400, "invalid"],
    [await upload(gateway, "--x\r\n\r\nhi", "multipart/form-data; boundary=x"), 415, "unknown_type"],
    [await upload(gateway, "a=b", "application/x-www-form-urlencoded"), 415, "unknown_type"],
    [await upload(gateway, "hi", "nonsense"), 415, "unknown_type"],
    [await upload(gateway, PNG, "image/png", { "Content-Encoding": "gzip" }), 415, "unknown_type"],
  ] as const;
  for (const [answer, status, code] of cases) expect(answer).toMatchObject({ status, json: { error: { code } } });
  expect(gateway.names("attachments")).toEqual([]);
  expect(gateway.names("tmp").flatMap((name) => gateway.names(`tmp/${name}`))).toEqual([]);
});

test("a file that is too large is refused, whether it says so or not", async () => {
  const gateway = await startGateway();
  const large = { "Content-Length": String(ATTACHMENT_BYTES_MAX + 1) };
  expect(await upload(gateway, "", "text/plain", { ...large, Connection: "close" })).toMatchObject({ status: 413 });
  const silent = { "Transfer-Encoding": "chunked" };
  const answer = await upload(gateway, Buffer.alloc(ATTACHMENT_BYTES_MAX + 1, "a"), "text/plain", silent);
  expect(answer).toMatchObject({ status: 413, json: { error: { code: "too_large" } } });
  expect(gateway.names("attachments")).toEqual([]);
});

test("nobody uploads or reads without signing in, and no other method is known", async () => {
  const gateway = await startGateway();
  const body = { method: "POST", body: PNG, headers: { "Content-Type": "image/png" } };
  expect((await gateway.ask("/api/attachments", { ...body, signedIn: false })).status).toBe(401);
  expect((await gateway.ask(`/api/attachments/${idOf(PNG)}`, { signedIn: false })).status).toBe(401);
  const foreign = { ...body, headers: { ...body.headers, Origin: "http://evil.example" } };
  expect((await gateway.ask("/api/attachments", foreign)).status).toBe(403);
  expect((await gateway.ask("/api/attachments")).status).toBe(405);
  expect(gateway.names("attachments")).toEqual([]);
});

test("a stored file comes back as what it is, and can do nothing in a browser", async () => {
  const gateway = await startGateway();
  const page = Buffer.from("<script>alert(1)</script>");
  await upload(gateway, page, "text/html");
  await upload(gateway, PNG, "image/png");
  const text = await gateway.ask(`/api/attachments/${idOf(page)}`);
  expect(text).toMatchObject({
    status: 200,
    text: page.toString(),
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="${idOf(page).slice(0, 12)}.txt"`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
  const image = await gateway.ask(`/api/attachments/${idOf(PNG)}`);
  expect(image.headers).toMatchObject({ "content-type": "image/png", "content-length": String(PNG.length) });
  expect(image.headers["content-disposition"]).toMatch(/^inline; /);
});

test("only the id of something stored leads anywhere", async () => {
  const gateway = await startGateway();
  await upload(gateway, PNG, "image/png");
  const asked = (id: string) => gateway.ask(`/api/attachments/${id}`).then(({ status }) => status);
  expect(await asked(idOf(Buffer.from("other")))).toBe(404);
  for (const id of ["..%2Ftoken", "token", `${idOf(PNG)}.json`, idOf(PNG).toUpperCase()])
    expect(await asked(id)).toBe(400);
});

test("a message names what was uploaded: its record, the pending message and every client have it", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  await upload(gateway, PNG, "image/png");
  const attachments = [{ id: idOf(PNG), name: "shot.png" }, idOf(PNG)];
  const { id } = (await gateway.post("/api/input", { text: "look", attachments })).json as { id: string };
  const stored = [{ id: idOf(PNG), name: "shot.png", type: "image/png", bytes: PNG.length }];
  const record = Message.parse(JSON.parse(readFileSync(join(gateway.home, inboxPath(id)), "utf8")));
  expect(record.attachments).toEqual(stored);
  expect((await client.next("message")).data).toMatchObject({ id, pending: true, attachments: stored });
  client.send({ type: "input", id: "over-ws", text: "again", attachments: [idOf(PNG)] });
  const { data } = await client.next("message", (frame) => frame.data.text === "again");
  expect(data.attachments).toMatchObject([{ id: idOf(PNG) }]);
});

test("a message that names what was never uploaded, or too much, is refused and not kept", async () => {
  const gateway = await startGateway();
  await upload(gateway, PNG, "image/png");
  const statusOf = async (attachments: unknown) =>
    (await gateway.post("/api/input", { text: "look", attachments })).status;
  expect(await statusOf([idOf(Buffer.from("other"))])).toBe(404);
  expect(await statusOf(["../token"])).toBe(400);
  expect(await statusOf([{ id: idOf(PNG), type: "text/html" }])).toBe(400);
  expect(await statusOf(Array.from({ length: 11 }, () => idOf(PNG)))).toBe(400);
  expect(gateway.names("inbox")).toEqual([]);
});

test("a dropped file may name what is stored, by its id alone; one that names anything else is no message", async () => {
  const gateway = await startGateway({ config: { tickMs: 50, rereadSec: 1 } });
  await upload(gateway, PNG, "image/png");
  const drop = (name: string, id: string) =>
    writeFileSync(
      join(gateway.home, "inbox", name),
      JSON.stringify({ kind: "message", text: name, attachments: [id] }),
      { mode: 0o600 },
    );
  drop("bad.json", idOf(Buffer.from("other")));
  drop("good.json", idOf(PNG));
  const { messages } = (await gateway.ask("/api/messages")).json as { messages: { text: string }[] };
  expect(messages).toMatchObject([
    { text: "good.json", attachments: [{ id: idOf(PNG), type: "image/png", bytes: PNG.length }] },
  ]);
});
