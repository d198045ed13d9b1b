import type { Quoted } from "@mimikit/agent/prompt/quote";
import { BadTemplate, parseTemplate, renderTemplate } from "@mimikit/agent/prompt/template";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

/** Filled-in values are quoted already; here they may be anything. */
function render(source: string, values: Record<string, string>, names = Object.keys(values)): string {
  return renderTemplate(parseTemplate(source, names), values as Record<string, Quoted>);
}

describe("what is filled in", () => {
  test("a name is replaced by its value wherever it stands", () => {
    expect(render("a {x} b {y}{x}", { x: "1", y: "2" })).toBe("a 1 b 21");
  });

  test("a part is there when its name has a value", () => {
    const source = "start\n{#if x}\n// about x\n{x}\n{/if}\nend\n";
    expect(render(source, { x: "1" })).toBe("start\n// about x\n1\nend\n");
    expect(render(source, { x: "" })).toBe("start\nend\n");
  });

  test("a part within a line leaves the line as it is", () => {
    expect(render("a{#if x} and {x}{/if}.", { x: "b" })).toBe("a and b.");
    expect(render("a{#if x} and {x}{/if}.", { x: "" })).toBe("a.");
  });

  test("braces around anything but a name are text", () => {
    expect(render('{"a": {}} { x } {1} {x}', { x: "v" })).toBe('{"a": {}} { x } {1} v');
  });

  test("a value is never read as a template", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("{x}", "{y}", "{#if x}", "{#if y}", "{/if}", "{#", "}", "$&", "$1", "\n", "text")),
        (parts) => {
          const value = `.${parts.join("")}`;
          expect(render("<{x}|{#if y}{y}{/if}>", { x: value, y: value })).toBe(`<${value}|${value}>`);
        },
      ),
    );
  });
});

describe("a wrong template is an error that says where", () => {
  test.each([
    ["{x}\n{unknown}", 'line 2: "unknown" is unknown; there is: x'],
    ["{x}{#if unknown}{/if}", 'line 1: "unknown" is unknown; there is: x'],
    ["{x}\n{#if x}\n", "line 3: {#if x} is not closed"],
    ["{x}\n{/if}\n", "line 2: {/if} closes nothing"],
    ["{#if x}{x}{#if x}{/if}{/if}", "line 1: {#if x} stands inside {#if x}"],
    ["{x}{#each x}", "line 1: {#each x} is not known: {#if name} and {/if} are"],
    ["{x}{#if  x}{/if}", "line 1: {#if  x} is not known: {#if name} and {/if} are"],
    ["{x}{/x}", "line 1: {/x} is not known: {#if name} and {/if} are"],
    ["nothing", "line 1: it does not show: x"],
    ["{#if x}always{/if}", "line 1: it does not show: x"],
  ])("%j", (source, message) => {
    expect(() => parseTemplate(source, ["x"])).toThrow(new BadTemplate(message));
  });

  test("text without names needs none", () => {
    expect(() => parseTemplate("{x}", [])).toThrow(new BadTemplate('line 1: "x" is unknown; there is: nothing'));
    expect(render('rules, {"json": 1}\n', {})).toBe('rules, {"json": 1}\n');
  });
});
