import { expect, test } from "vitest";
import { textOfHtml } from "../../../packages/agent/src/documents/markup.ts";
import { readableOf } from "../../../packages/agent/src/web/readable.ts";

const HIDDEN = [
  '<div style="display:none">secret <p>deep</p></div>',
  '<div style="color: red; DISPLAY : none">secret</div>',
  "<p hidden>secret</p>",
  '<span hidden="until-found">secret</span>',
  '<br hidden><p style="display: none !important">secret<p hidden>secret</p>',
];

test.each(HIDDEN)("a reader does not see what %s holds, and sees what stands around it", (hidden) => {
  const text = textOfHtml(`<p>before</p>${hidden}<p>after</p>`);
  expect(text).not.toMatch(/secret|deep/);
  expect(text).toMatch(/^before\s+after$/);
});

test("what only looks hidden is read", () => {
  const html =
    '<p style="display:block; content:\'display:none\'">a</p><p aria-hidden="true">b</p><p data-hidden>c</p>';
  expect(textOfHtml(html).split(/\s+/)).toEqual(["a", "b", "c"]);
});

test("neither does a page of the web show what is hidden in it", () => {
  const html = `<main><p>before</p>${HIDDEN[0]}${HIDDEN[2]}<p>after</p></main>`;
  const page = readableOf({
    type: "text/html",
    charset: undefined,
    bytes: Buffer.from(html),
    url: "http://a/",
  } as never);
  expect(page?.text).toMatch(/^before\s+after$/);
});
