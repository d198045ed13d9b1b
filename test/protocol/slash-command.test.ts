import { readLine, SLASH_COMMANDS, type TypedLine } from "@mimikit/protocol/wire/slash-command";
import fc from "fast-check";
import { expect, test } from "vitest";

const mistake = (mistake: string, name: string) => ({ kind: "mistake", mistake, name });

test.each<[string, TypedLine | object]>([
  ["hello", { kind: "message", text: "hello" }],
  ["  hello \n world ", { kind: "message", text: "hello \n world" }],
  ["", { kind: "message", text: "" }],
  ["/steer only the German ones", { kind: "steer", text: "only the German ones" }],
  ["  /steer\n\nfirst\nsecond  ", { kind: "steer", text: "first\nsecond" }],
  ["/STEER Now", { kind: "steer", text: "Now" }],
  ["/steer /stop", { kind: "steer", text: "/stop" }],
  ["/next and then 写完它", { kind: "next", text: "and then 写完它" }],
  ["/attach ~/my shot.png", { kind: "attach", text: "~/my shot.png" }],
  ["/stop", { kind: "stop" }],
  ["/Stop ", { kind: "stop" }],
  ["/retry", { kind: "retry" }],
  ["/clear", { kind: "clear" }],
  ["/help", { kind: "help" }],
  ["/steer", mistake("textMissing", "steer")],
  ["/next   ", mistake("textMissing", "next")],
  ["/clear the table in README.md", mistake("textUnwanted", "clear")],
  ["/stop it", mistake("textUnwanted", "stop")],
  ["/halt", mistake("unknown", "halt")],
  ["/Steerx y", mistake("unknown", "Steerx")],
  ["/constructor", mistake("unknown", "constructor")],
  ["//stop", { kind: "message", text: "/stop" }],
  ["//", { kind: "message", text: "/" }],
  ["///", { kind: "message", text: "//" }],
  ["/etc/hosts has a mistake", { kind: "message", text: "/etc/hosts has a mistake" }],
  ["/", { kind: "message", text: "/" }],
  ["/ 2", { kind: "message", text: "/ 2" }],
  ["/2 of it", { kind: "message", text: "/2 of it" }],
  ["/stop.", { kind: "message", text: "/stop." }],
  ["say /stop", { kind: "message", text: "say /stop" }],
])("%j is read as %o", (line, meaning) => {
  expect(readLine(line)).toEqual(meaning);
});

const anything = fc.string({ unit: "grapheme", maxLength: 60 });

test("any text can be sent as a message: as it is, or with one more slash in front", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const wanted = text.trim();
      expect(readLine(wanted.startsWith("/") ? `/${wanted}` : wanted)).toEqual({ kind: "message", text: wanted });
    }),
  );
});

test("any text can follow a command that takes one, and none follows one that takes none", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SLASH_COMMANDS), anything, ({ name, takes }, text) => {
      const rest = text.trim();
      const line = readLine(`/${name} ${rest}`);
      if (takes === "text")
        expect(line).toEqual(rest === "" ? mistake("textMissing", name) : { kind: name, text: rest });
      else expect(line).toEqual(rest === "" ? { kind: name } : mistake("textUnwanted", name));
    }),
  );
});

test("whatever is typed is read, and nothing is sent that was not typed", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anything,
        anything.map((text) => `/${text}`),
      ),
      (text) => {
        const line = readLine(text);
        if ("text" in line) expect(text).toContain(line.text);
      },
    ),
  );
});

test("a very long line is read at once", () => {
  const long = `/steer ${" \n".repeat(32_000)}x`;
  expect(readLine(long)).toEqual({ kind: "steer", text: "x" });
  expect(readLine(`/${"a".repeat(64_000)} x`)).toMatchObject({ kind: "mistake" });
});
