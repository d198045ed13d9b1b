import fc from "fast-check";
import { expect, test } from "vitest";
import { TerminalMarkdown, terminalMarkdown } from "../../../apps/cli/src/terminal/terminal-markdown.ts";

const TEXT = `# A *title*

Some **bold** and \`code\`, 2 * 3, [a link](https://a.example/b_c) and https://a.example/d_e.
- one 你好
  1. two
- [x] done
> said

\`\`\`ts
const a = **b**;
\`\`\`
| name | count |
|---|--:|
| 长的 | 1 |
after
---
end`;

const SHOWN = `A title

Some bold and code, 2 * 3, a link (https://a.example/b_c) and https://a.example/d_e.
• one 你好
  1. two
☑ done
│ said

  ts
  const a = **b**;
name  count
长的  1    
after
────────────────────────
end`;

test("Markdown is shown as it is meant, with the address of a link beside it", () => {
  expect(terminalMarkdown(TEXT)).toBe(SHOWN);
});

test("however a text arrives, it is shown the same, and nothing that was put out is taken back", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (sizes) => {
      const markdown = new TerminalMarkdown();
      let out = "";
      for (let at = 0, i = 0; at < TEXT.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        out += markdown.write(TEXT.slice(at, at + size));
        at += size;
      }
      expect(out + markdown.end()).toBe(SHOWN);
    }),
  );
});

test("a line is shown as far as it can be nothing else any more", () => {
  const markdown = new TerminalMarkdown();
  expect(markdown.write("It is **impor")).toBe("It is ");
  expect(markdown.write("tant** to")).toBe("important to");
  expect(markdown.write("\n- ")).toBe("\n");
  expect(markdown.write("begin")).toBe("• begin");
});

test("a text cannot command the terminal", () => {
  expect(terminalMarkdown("a\u001b[2J [x](http://b\u0007) `\u009bc`")).not.toMatch(/\p{Cc}/u);
});

test("a heading may be closed", () => {
  expect(terminalMarkdown("## Two words ##  ")).toBe("Two words");
});

test.each([
  ["a heading with many spaces", `# a${" ".repeat(20_000)}b`],
  ["a fence that is none", `\`\`\`${" ".repeat(20_000)}\``],
  ["a long row of signs", `${"- ".repeat(20_000)}b`],
])("%s is shown to its end, however much there is of it", (_, text) => {
  const markdown = new TerminalMarkdown();
  let shown = "";
  for (let at = 0; at < text.length; at += 1_000) shown += markdown.write(text.slice(at, at + 1_000));
  shown += markdown.end();
  expect(shown.trimEnd().slice(-1)).toBe(text.slice(-1));
});
