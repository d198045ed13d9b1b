import fc from "fast-check";
import { expect, test } from "vitest";
import { builtPage } from "./built-page.ts";
import { startGateway } from "./gateway.ts";
import { ask, recurringOf, stand } from "./records.ts";

const PATHS = [
  "/",
  "/healthz",
  "/api/status",
  "/api/input",
  "/api/messages",
  "/api/tasks",
  "/api/triggers",
  "/api/triggers/simulate",
  "/api/triggers/trg-1",
  "/api/triggers/trg-1/run",
  "/api/triggers/trg-1/explain",
  "/api/questions",
  "/api/questions/t-000001.0/answer",
  "/api/pair",
  "/api/sign-out",
  "/api/devices",
  "/v1",
  "/v1/models",
  "/v1/models/mimikit",
  "/v1/chat/completions",
  "/v1/responses",
  "/api/push",
  "/api/push/key",
  "/api/push/answer",
  "/ws",
];
const path = fc.oneof(
  fc.constantFrom(...PATHS),
  fc
    .tuple(fc.constantFrom(...PATHS), fc.webPath(), fc.webQueryParameters())
    .map(([base, more, query]) => `${base}${more}?${query}`),
  fc.string({ maxLength: 40 }).map((text) => `/api/tasks/${encodeURI(text.toWellFormed())}`),
  fc.stringMatching(/^\/[!-~]{0,60}$/),
);
const headerText = fc.stringMatching(/^[!-~]{0,40}$/);
const headers = fc.record(
  {
    "Content-Type": fc.oneof(fc.constant("application/json"), headerText),
    Origin: headerText,
    Cookie: headerText,
    Authorization: headerText,
    "X-Mimikit-Secret": headerText,
    "Idempotency-Key": headerText,
    Range: headerText,
    "If-None-Match": headerText,
  },
  { requiredKeys: ["Content-Type"] },
);
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc.json().map((text) => `{"text":"hi","client":${text}}`),
  fc.json().map((text) => `{"prompt":"hi","condition":${text}}`),
  fc.string().map((cron) => JSON.stringify({ prompt: "hi", cron })),
  fc.json().map((text) => `{"answer":${text}}`),
  // Every such request to /v1 is refused before anybody waits: these are never a message.
  fc.json().map((text) => `{"model":"mimikit","messages":${text}}`),
  fc.json().map((text) => `{"model":"mimikit","messages":[{"role":"user","content":[${text}]}]}`),
  fc.json().map((text) => `{"model":"mimikit","input":[${text}]}`),
  fc.constant(""),
);
const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");

test("no request makes the gateway answer with an error of its own, or stop", { timeout: 60_000 }, async () => {
  // A page that is not built is a 503 of its own, so there is one.
  const gateway = await startGateway({ pageDir: builtPage() });
  await stand(gateway.fs, recurringOf("trg-1"));
  await ask(gateway.fs, "t-000001.0");
  await fc.assert(
    fc.asyncProperty(method, path, headers, body, fc.boolean(), async (method, path, headers, body, signedIn) => {
      const answer = await gateway.ask(path, { method, headers, body, signedIn });
      expect(answer.status, `${method} ${path}`).toBeLessThan(500);
    }),
    { numRuns: 1_000 },
  );
  expect((await gateway.ask("/healthz")).status).toBe(200);
});
